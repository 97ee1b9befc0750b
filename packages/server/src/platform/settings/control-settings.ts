import { homedir } from 'node:os';
import { join } from 'node:path';
import { INFERENCE_SETTINGS } from './inference-settings.ts';
import { resolveSettings, type ResolvedSettings, type SettingValues } from './resolve-settings.ts';
import { number, text, wholeNumber } from './setting-kinds.ts';
import { SERVER_SETTINGS } from './server-settings.ts';
import { setting } from './setting-spec.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Records are kept by one rule, whoever brings them in. */
const { captureRetentionDays, redactNames, redactVariables, redactPattern } = INFERENCE_SETTINGS;
const recordSettings = { captureRetentionDays, redactNames, redactVariables, redactPattern };

/** The settings of the control process, each with its default, its bounds and the reason for both. */
export const CONTROL_SETTINGS = {
  ...SERVER_SETTINGS,
  port: setting({
    kind: wholeNumber({ min: 0, max: 65_535 }),
    fallback: () => 8080,
    environmentVariable: 'LACHESIS_CONTROL_PORT',
    describe: 'port to listen on; 0 takes a free one',
  }),
  home: setting({
    kind: text(),
    fallback: () => join(homedir(), '.lachesis'),
    environmentVariable: 'LACHESIS_HOME',
    describe: 'folder for the SQLite database, the payload files and the outboxes of recorders',
  }),
  maxBodyBytes: setting({
    // A long conversation with images is some megabytes; a batch of records holds several.
    kind: wholeNumber({ min: 1024, max: GIB }),
    fallback: () => 64 * MIB,
    environmentVariable: 'LACHESIS_MAX_BODY_BYTES',
    describe: 'largest request body on the wire',
  }),
  bodyBudgetBytes: setting({
    kind: wholeNumber({ min: MIB, max: 64 * GIB }),
    fallback: () => 256 * MIB,
    environmentVariable: 'LACHESIS_BODY_BUDGET_BYTES',
    describe: 'request bodies held in memory at once; more senders wait in their sockets',
  }),
  ...recordSettings,
  drainSeconds: setting({
    // Somebody who looks right after a call wants to see it; reading an empty folder costs nothing.
    kind: number({ min: 0.05, max: 3_600 }),
    fallback: () => 1,
    environmentVariable: 'LACHESIS_DRAIN_SECONDS',
    describe: 'how often the outboxes of recorders are read',
  }),
};

export type ControlSettings = SettingValues<typeof CONTROL_SETTINGS>;

export function readControlSettings(
  options: Record<string, unknown>,
  environment: Record<string, string | undefined>,
): ResolvedSettings<ControlSettings> {
  return resolveSettings(CONTROL_SETTINGS, options, environment);
}
