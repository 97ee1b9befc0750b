import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { renderTranscript } from '../../library/render-transcript.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';
import { libraryFlags, withLibrary } from '../../flags/library/library.ts';

const flags = {
  id: { type: 'positional', required: true, description: 'the id that `trajectories list` shows' },
  thinking: { type: 'boolean', description: 'show thinking whole' },
  results: { type: 'boolean', description: 'show results of tools whole' },
  ...libraryFlags,
} as const;

export const trajectoriesShowCommand = defineCommand({
  meta: { name: 'show', description: 'Read one trajectory.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withLibrary(args, async (library) => {
      const detail = await library.readTrajectory(args.id);
      if (detail === undefined) fail(`there is no trajectory ${args.id}. \`lachesis trajectories list\` shows them.`);
      if (args.json === true) {
        writeJson(detail);
        return;
      }
      const { paint, columns } = readScreen();
      const options = { paint, columns, showThinking: args.thinking === true, showResults: args.results === true };
      process.stdout.write(renderTranscript(detail, options));
    });
  },
});
