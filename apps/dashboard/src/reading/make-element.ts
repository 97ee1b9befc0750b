/** An element with its class and its text. Text of strangers comes in here and nowhere else: it is never read as HTML. */
export function makeElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  ...children: readonly (string | Node)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className !== '') element.className = className;
  element.append(...children);
  return element;
}
