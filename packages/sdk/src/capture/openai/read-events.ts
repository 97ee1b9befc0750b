import { parseJson } from './json-shapes.ts';

export interface EventReader {
  /** Reads what has come; true when the stream has said its last word. */
  read(bytes: Uint8Array): boolean;
}

/** Reads server-sent events out of pieces that are cut anywhere, also inside a character. */
export function createEventReader(onEvent: (data: unknown, name: string | undefined) => void): EventReader {
  const decoder = new TextDecoder();
  let rest = '';
  let name: string | undefined;
  let data: string[] = [];
  let isDone = false;

  function readLine(line: string): void {
    if (line === '') {
      const text = data.join('\n');
      if (text === '[DONE]') isDone = true;
      else if (text !== '') onEvent(parseJson(text), name);
      data = [];
      name = undefined;
    } else if (line.startsWith('data:')) {
      data.push(line.slice(line[5] === ' ' ? 6 : 5));
      // The last event often comes without the empty line that ends it.
      if (data.length === 1 && data[0] === '[DONE]') isDone = true;
    } else if (line.startsWith('event:')) {
      name = line.slice(6).trim();
    }
  }

  return {
    read(bytes) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) readLine(line);
      return isDone;
    },
  };
}
