import { mainCommand } from '../../packages/cli/src/main-command.ts';
import { walkCommands } from './read-commands.ts';

/* Prints every command of the CLI with its options as one JSON object. */

process.stdout.write(JSON.stringify(await walkCommands(mainCommand, ['lachesis'])));
