/** A saved line without what is expected to differ: the first element, and the time. */
export function cutLine(line: string): string | undefined {
  const match = /^\{"conversations": \[\{"from": "system", "value": "(?:[^"\\]|\\.)*"\}(?:, )?(?<rest>.*)$/s.exec(line);
  return match?.groups?.['rest']?.replace(/"timestamp": "[^"]*", "model"/, '"timestamp": "", "model"');
}

/** Takes the first question out as well, where Hermes has another one in its place. */
export const cutFirstQuestion = (rest: string | undefined): string | undefined =>
  rest?.replace(/^\{"from": "human", "value": "(?:[^"\\]|\\.)*"\}(?:, )?/s, '');
