/** What a person sees after coming back from an authorization server. It loads nothing and runs nothing. */
export function callbackPage(isDone: boolean, text: string): string {
  const title = isDone ? 'Signed in' : 'Not signed in'
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} – Herma</title>
<style>body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 0 1rem }</style>
<h1>${title}</h1>
<p>${escapeHtml(text)}</p>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
