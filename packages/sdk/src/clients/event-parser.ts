/** One server-sent event. */
export interface ServerEvent {
  /** `message` where the server gives no name. */
  event: string;
  data: string;
  id: string | undefined;
}

export interface EventParserOptions {
  onEvent: (event: ServerEvent) => void;
  /** The data of the event that is the last of a stream: it counts at once, since its empty line often never comes. */
  lastData?: string | undefined;
  /** No event is longer; what is, is dropped. */
  maxCharacters?: number | undefined;
  /** An event was longer. */
  onOverlong?: (() => void) | undefined;
}

export interface EventParser {
  add(bytes: Uint8Array): void;
  /** The stream has ended: what is left is an event without its empty line. */
  end(): void;
}

/** Reads server-sent events out of pieces that are cut anywhere, also inside a character. Each line is read once. */
export function createEventParser(options: EventParserOptions): EventParser {
  const { onEvent, lastData, maxCharacters = Number.POSITIVE_INFINITY, onOverlong } = options;
  const decoder = new TextDecoder();
  let rest = '';
  let event = 'message';
  let data: string | undefined;
  let id: string | undefined;

  function dispatch(): void {
    // Without data and id it was a comment, which keeps the connection warm and says nothing.
    if (data !== undefined || id !== undefined) onEvent({ event, data: data ?? '', id });
    event = 'message';
    data = undefined;
    id = undefined;
  }

  function readLine(line: string): void {
    if (line === '') {
      dispatch();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') {
      data = data === undefined ? value : `${data}\n${value}`;
      if (data === lastData) dispatch();
      else if (data.length > maxCharacters) dropOverlong();
    } else if (name === 'event') event = value;
    else if (name === 'id') id = value;
  }

  function readLines(text: string): void {
    // A lone carriage return ends a line too; the last one may be half of a pair.
    const lines = text.includes('\r') ? text.replaceAll(/\r\n|\r(?!$)/g, '\n') : text;
    let start = 0;
    for (let end = lines.indexOf('\n'); end >= 0; end = lines.indexOf('\n', start)) {
      readLine(lines.slice(start, end));
      start = end + 1;
    }
    rest = lines.slice(start);
    if (rest.length > maxCharacters) dropOverlong();
  }

  function dropOverlong(): void {
    rest = '';
    data = undefined;
    onOverlong?.();
  }

  return {
    add: (bytes) => readLines(rest + decoder.decode(bytes, { stream: true })),
    end() {
      readLines(`${rest}${decoder.decode()}\n`);
      dispatch();
    },
  };
}
