/** The look of UI.md without a build step: these pages have no script and one small stylesheet. */
export const stylesheet = `:root {
  color-scheme: light dark;
  --bg: #faf9f6; --surface: #fff; --well: #f5f4f0; --line: #e1dfdb; --control: #928f88;
  --ink: #211d18; --ink-2: #514c46; --accent: #2253cf; --on-accent: #fff; --bad: #ba1e20; --warn: #955902;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #110f0d; --surface: #1b1815; --well: #0d0b09; --line: #312f2b; --control: #726e68;
    --ink: #efece8; --ink-2: #bdbab5; --accent: #79a2f9; --on-accent: #110f0d; --bad: #fc867f; --warn: #f0ba59;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 48px 16px; background: var(--bg); color: var(--ink);
  font: 14px/20px Inter, ui-sans-serif, system-ui, sans-serif;
}
main {
  max-width: 440px; margin: 0 auto; padding: 24px; background: var(--surface);
  border: 1px solid var(--line); border-radius: 10px; overflow-wrap: anywhere;
}
.brand { max-width: 440px; margin: 0 auto 16px; color: var(--ink-2); font-weight: 600; }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 28px; font-weight: 600; }
h2 { margin: 32px 0 8px; font-size: 16px; line-height: 24px; font-weight: 600; }
p { margin: 0 0 16px; color: var(--ink-2); }
ul { margin: 0 0 16px; padding-left: 20px; color: var(--ink-2); }
dl { margin: 0 0 16px; padding: 12px; background: var(--well); border-radius: 6px; }
dt { color: var(--ink-2); font-size: 12px; line-height: 16px; }
dd { margin: 0 0 8px; }
dd:last-child { margin: 0; }
code, .codes { font: 13px/20px "JetBrains Mono", ui-monospace, monospace; font-variant-ligatures: none; }
.codes { columns: 2; list-style: none; padding: 12px; background: var(--well); border-radius: 6px; }
form { margin: 0 0 16px; }
main > :last-child { margin-bottom: 0; }
label { display: block; margin: 0 0 16px; font-weight: 500; }
input {
  display: block; width: 100%; height: 44px; margin-top: 4px; padding: 0 12px; color: var(--ink);
  background: var(--surface); border: 1px solid var(--control); border-radius: 6px; font: inherit; font-size: 16px;
}
button {
  width: 100%; min-height: 44px; padding: 8px 16px; color: var(--on-accent); background: var(--accent);
  border: 1px solid var(--accent); border-radius: 6px; font: inherit; font-weight: 600; cursor: pointer;
}
button.quiet { color: var(--ink); background: transparent; border-color: var(--control); }
.row { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 8px; }
.problem, .warning { padding: 12px; border: 1px solid; border-radius: 6px; }
.problem { color: var(--bad); }
.warning { color: var(--warn); }
.hint { font-size: 12px; line-height: 16px; font-weight: 400; color: var(--ink-2); }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`
