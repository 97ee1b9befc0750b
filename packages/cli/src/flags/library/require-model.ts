import { findModel, type ModelVersion, type Store } from '@lachesis/store';
import { fail } from '../../terminal/fail.ts';

/** What every command about models names it by. */
export const modelArgument = {
  model: { type: 'positional', required: true, description: 'name (its newest version), name@version, or an id' },
} as const;

/** Finds a model, or ends the command with what to do. */
export async function requireModel(options: { store: Store; tenantId: string; ref: string }): Promise<ModelVersion> {
  const found = await findModel(options);
  return found ?? fail(`there is no model ${JSON.stringify(options.ref)}. \`lachesis models list\` shows them.`);
}

export const nameOf = ({ name, version }: { name: string; version: number }): string => `${name}@${version}`;
