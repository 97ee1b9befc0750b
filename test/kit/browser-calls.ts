/** Two pages, small enough that the refs of their elements are known. */
export const BROWSER_PAGES: Readonly<Record<string, string>> = {
  '/first':
    '<title>First</title><a href="/second">Second</a><input aria-label="Search"><img src="/moss.png" alt="moss"><div style="height:3000px"></div>' +
    '<script>onkeydown = ({ key }) => key === "Escape" && alert("moss")</script>',
  '/second': '<title>Second</title><p>Moss grows on stones.</p>',
};

/** One right call of each tool of the browser, in the order in which somebody uses it. */
export const listBrowserCalls = (origin: string): (readonly [tool: string, args: object])[] => [
  ['browser_navigate', { url: `${origin}/first` }],
  ['browser_snapshot', {}],
  ['browser_get_images', {}],
  ['browser_type', { ref: '@e3', text: 'moss' }],
  ['browser_console', {}],
  ['browser_press', { key: 'Escape' }],
  ['browser_dialog', { action: 'accept' }],
  ['browser_scroll', { direction: 'down' }],
  ['browser_vision', { question: 'What is it about?' }],
  ['browser_click', { ref: '@e2' }],
  ['browser_back', {}],
  ['browser_close', {}],
];
