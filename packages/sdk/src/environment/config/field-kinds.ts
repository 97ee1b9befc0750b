import { z } from 'zod';

/** A field whose value names a file or folder. Through the control API it can be set only where the recipe lists it as editable. */
export const pathField = (): z.ZodString => z.string().meta({ kind: 'path' });

/** A field whose value is an address that is asked. The same holds for it. */
export const urlField = (): z.ZodString => z.string().meta({ kind: 'url' });

/** A field whose value names code that is run. The same holds for it. */
export const codeField = (): z.ZodString => z.string().meta({ kind: 'code' });
