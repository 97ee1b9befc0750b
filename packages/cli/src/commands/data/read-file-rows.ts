import { guessFormat, IMPORT_FORMATS, readFormat, type ReadResult } from '@lachesis/data';
import { fail } from '../../terminal/fail.ts';

/** Rows of a file. Without a format it is found by the name and the first line. */
export async function* readFileRows(path: string, format: string | undefined): AsyncGenerator<ReadResult> {
  const known = IMPORT_FORMATS.find((name) => name === format);
  if (format !== undefined && known === undefined) {
    fail(`there is no format ${JSON.stringify(format)} to read. The formats are ${IMPORT_FORMATS.join(', ')}.`);
  }
  const chosen = known ?? (await guessFormat(path));
  if (chosen === undefined) {
    fail(
      `the format of ${path} could not be told from its beginning; say --format with one of ${IMPORT_FORMATS.join(', ')}.`,
    );
  }
  yield* readFormat(path, chosen);
}
