import { defineTool, ToolError } from '@lachesis/sdk/agent';
import { z } from 'zod';
import { stripTypes } from './strip-types.ts';

/** Node runs TypeScript only since 22.18, and sandboxes have what the system has. */
export const stripTypesTool = defineTool({
  name: 'strip_types',
  description:
    'Removes the types from a TypeScript file and writes the JavaScript beside it as .mjs, to be run by node.',
  input: z.object({ path: z.string().min(1).describe('a file that ends with .ts') }),
  execute: async ({ path }, { sandbox: open }) => {
    const written = path.replace(/\.ts$/, '.mjs');
    if (open === undefined || written === path) throw new ToolError({ what: `${path} is no TypeScript file here` });
    const sandbox = await open();
    const stripped = await stripTypes(new TextDecoder().decode(await sandbox.readFile(path)));
    if (stripped === undefined)
      throw new ToolError({
        what: `${path} could not be read as TypeScript`,
        hint: 'Mind the syntax; enum and namespace cannot be stripped',
      });
    await sandbox.writeFile(written, stripped);
    return { written };
  },
});
