/** The look of `/docs`: system fonts, both colour schemes, contents beside the text where there is room. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1c2128; --soft: #57606a; --paper: #ffffff; --raised: #f4f6f8; --line: #d5dae0; --link: #0a56b8; }
@media (prefers-color-scheme: dark) {
  :root { --text: #dfe4ea; --soft: #98a2ad; --paper: #14181d; --raised: #1e242b; --line: #343c46; --link: #7db4ff; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 76rem; padding: 0 1.25rem 4rem; background: var(--paper); color: var(--text);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; overflow-wrap: break-word; }
header { padding: 1.5rem 0 .5rem; border-bottom: 1px solid var(--line); margin-bottom: 1.5rem; }
header h1 { margin: 0; font-size: 1.75rem; }
header p { margin: .25rem 0 .75rem; color: var(--soft); }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, summary:focus-visible, .table:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
h2, h3, h4 { line-height: 1.25; }
h2 { margin: 3.5rem 0 1rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); font-size: 1.5rem; }
h3 { margin: 2.25rem 0 .75rem; font-size: 1.15rem; }
:is(h2, h3, h4) a { color: inherit; text-decoration: none; }
:is(h2, h3, h4) a:hover { text-decoration: underline; }
main { min-width: 0; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; }
code { background: var(--raised); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .85rem 1rem; overflow-x: auto; line-height: 1.45; }
pre code { background: none; padding: 0; font-size: 1em; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .925rem; min-width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); overflow-wrap: normal; }
th { color: var(--soft); font-weight: 600; }
td code { overflow-wrap: anywhere; }
td:first-child code { white-space: nowrap; }
nav { font-size: .925rem; }
nav ol, nav ul { list-style: none; margin: 0; padding: 0; }
nav li { padding: .15rem 0; break-inside: avoid; }
nav li details { margin: .1rem 0 .3rem .75rem; color: var(--soft); }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav > details > summary { font-weight: 600; cursor: pointer; padding: .25rem 0; }
nav li summary { cursor: pointer; font-size: .85rem; }
@media (min-width: 62rem) {
  body { display: grid; grid-template-columns: 15rem minmax(0, 1fr); column-gap: 3rem; }
  header { grid-column: 1 / -1; }
  main > h2:first-child { margin-top: 0; }
  nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; }
}
@media (max-width: 40rem) {
  body { padding: 0 1rem 3rem; }
  h2 { font-size: 1.3rem; }
  nav ol { columns: 2; }
  nav li details { display: none; }
  td, th { min-width: 5.5rem; }
}
@media print { nav { display: none; } }
`;
