import { cp } from 'node:fs/promises';
import { join } from 'node:path';

import type { FreshMachine, Place } from '../first-run/fresh-machine.ts';

/** The environments, and what they are made of. */
const FILES = ['learns/environments', 'learns/describe-task.ts', 'learns/tasks.ts', 'distill/unrewarded.ts'];

export interface TaskPlace {
  readonly place: Place;
  /** Where the packages keep what they make: nobody named another folder. */
  readonly home: string;
}

/** Somebody who installed the packages and wrote the environments of the tasks into a folder of theirs. */
export async function openPlace(machine: FreshMachine, name: string): Promise<TaskPlace> {
  const place = await machine.openInstalled(name);
  for (const file of FILES)
    await cp(join(import.meta.dirname, '..', file), join(place.folder, file), { recursive: true });
  return { place, home: join(place.home, '.lachesis') };
}
