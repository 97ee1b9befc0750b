/** The colour that a token of design.css has here and now: a canvas cannot read `light-dark()`. */
export function readColours<const Names extends readonly string[]>(
  element: HTMLElement,
  names: Names,
): Record<Names[number], string> {
  const probe = document.createElement('span');
  element.append(probe);
  const colours = names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(colours) as Record<Names[number], string>;
}
