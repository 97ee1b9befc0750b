import { createKeyReader, type KeyInput } from './key-reader.ts';
import { readLine } from './read-line.ts';

/** A value that no screen shows: typed without an echo, or the first line of a pipe. Undefined when it was given up. */
export async function readHiddenValue(options: {
  name: string;
  input: KeyInput;
  write: (text: string) => void;
}): Promise<string | undefined> {
  const { name, input, write } = options;
  if (input.isTTY !== true) {
    let text = '';
    input.setEncoding('utf8');
    for await (const chunk of input) text += String(chunk);
    return text.split(/\r?\n/, 1)[0];
  }
  const keys = createKeyReader(input);
  const prompt = `${name} (not shown): `;
  try {
    return await readLine(keys, prompt, (text) => {
      if (text === prompt || text === '\n') write(text);
    });
  } finally {
    keys.close();
  }
}
