import type { Show } from '../../shows/show.ts';
import { descriptorsShow } from './shows/descriptors.ts';
import { diskFullShow } from './shows/disk-full.ts';
import { foldersShow } from './shows/folders.ts';
import { mutantsShow } from './shows/mutants.ts';
import { passwordsShow } from './shows/passwords.ts';

/** `pnpm chaos home`: nothing acknowledged is deleted by us. */
export const shows: Show[] = [foldersShow, descriptorsShow, diskFullShow, passwordsShow, mutantsShow];
