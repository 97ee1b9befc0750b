/** Writes the file that ships: `node --conditions=lachesis-source write-problems.ts`. Read the difference before you commit it. */
import { writeFile } from 'node:fs/promises';
import { SHIPPED_PROBLEMS } from '../read-problems.ts';
import { makeProblems, writeProblem } from './make-problems.ts';

await writeFile(SHIPPED_PROBLEMS, `${makeProblems().map(writeProblem).join('\n')}\n`);
