import { defineCommand } from 'citty';
import { describeControlError, openControl, serverFlags } from '../flags/server.ts';
import { makePageAddress } from '../flags/page-address.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { fail } from '../terminal/fail.ts';
import { openInBrowser } from '../terminal/open-in-browser.ts';
import { writeJson } from '../terminal/screen.ts';

const flags = {
  open: { type: 'boolean', default: true, description: 'open it', negativeDescription: 'print the address alone' },
  ...serverFlags,
} as const;

export const uiCommand = defineCommand({
  meta: { name: 'ui', description: 'Open the page of the control server: runs, rollouts, ratings, models.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const client = await openControl(args);
    const address = await makePageAddress(client).catch(async (error: unknown) =>
      fail(await describeControlError(error, client)),
    );
    if (args.json === true) writeJson({ url: address });
    else process.stdout.write(`${address}\n`);
    if (!args.open || args.json === true || !process.stdout.isTTY) return;
    const isOpened = await openInBrowser(address);
    process.stdout.write(
      isOpened
        ? 'It opens in your browser. The address is good once, for ten minutes.\n'
        : 'Open it in a browser of this machine. It is good once, for ten minutes.\n',
    );
  },
});
