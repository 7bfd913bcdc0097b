// Runs before the page is drawn, so that no theme flashes by. It is a file of its own since the policy allows no inline script.
;(function () {
  var chosen = null
  try {
    chosen = localStorage.getItem('herma-theme')
  } catch {
    // Storage may be switched off; then the system decides.
  }
  var isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', isDark)
})()
