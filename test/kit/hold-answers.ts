import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';

import { ANSWERS, findUndocumented, type ToldAnswer } from './find-undocumented.ts';

/**
 * Holds every answer of the servers in this process against the document of its route. Unit tests load it before they
 * begin and fail with the answer; a server that a show starts loads it by `--import` and writes what it found to a file.
 */
const file = process.env['LACHESIS_TEST_ANSWERS'];

subscribe(ANSWERS, (message) => {
  const told = message as ToldAnswer;
  const found = findUndocumented(told);
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ path: told.route.path, found })}\n`);
  else if (found !== undefined) throw new Error(found);
});
