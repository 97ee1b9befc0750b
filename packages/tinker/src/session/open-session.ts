import { TinkerNotFoundError } from '../errors/server-errors.ts';
import { readText, toObject } from '../link/server-link.ts';
import { chooseProfile } from '../profile/choose-profile.ts';
import { readClientFlags } from '../profile/client-flags.ts';
import type { ClientFlags } from '../profile/client-flags.ts';
import type { ServerProfile } from '../profile/server-profile.ts';
import type { Deadline } from '../transport/deadline.ts';
import type { Transport } from '../transport/transport.ts';

/** Servers look at it for features; this is the version whose messages this package speaks. */
export const SDK_VERSION = '0.25.0';

/** A model the server offers. */
export interface SupportedModel {
  name: string;
  maxLength: number | undefined;
}

export interface Handshake {
  profile: ServerProfile;
  flags: ClientFlags;
  /** Whether the server changes flags while it runs. */
  hasDynamicFlags: boolean;
  models: SupportedModel[];
}

/** Asks what the server is and what it allows. An address it does not have is an answer too. */
export async function probeServer(options: {
  transport: Transport;
  deadline: Deadline;
  profile?: Partial<ServerProfile> | undefined;
  /** Called when the server wants a token instead of the key. */
  exchangeKey: () => Promise<void>;
}): Promise<Handshake> {
  const { transport, deadline, exchangeKey } = options;
  const ask = async (path: string): Promise<Record<string, unknown> | undefined> => {
    try {
      const reply = await transport.request({ path, json: { sdk_version: SDK_VERSION } }, { deadline });
      return toObject(reply, path);
    } catch (error) {
      if (TinkerNotFoundError.isInstance(error)) return undefined;
      throw error;
    }
  };
  const config = await ask('client/config');
  if (config?.['pjwt_auth_enabled'] === true) await exchangeKey();
  const dynamic = await ask('client/dynamic_config');
  const reply = await transport.request({ method: 'GET', path: 'get_server_capabilities' }, { deadline });
  const listed = toObject(reply, 'get_server_capabilities')['supported_models'];
  const models = (Array.isArray(listed) ? listed : []) as Record<string, unknown>[];
  const { profile, evidence } = chooseProfile({ config, hasDynamicConfig: dynamic !== undefined, models });
  transport.onEvent({ type: 'profile-chosen', profile: profile.name, evidence });
  return {
    profile: { ...profile, ...options.profile },
    flags: readClientFlags(config ?? {}, dynamic ?? {}),
    hasDynamicFlags: dynamic !== undefined,
    models: models.flatMap((model) => {
      const [name, length] = [model['model_name'], model['max_context_length']];
      return typeof name === 'string' ? [{ name, maxLength: typeof length === 'number' ? length : undefined }] : [];
    }),
  };
}

export interface SessionOptions {
  tags?: readonly string[] | undefined;
  userMetadata?: Readonly<Record<string, string>> | undefined;
  projectId?: string | undefined;
}

/** Opens a session and tells what the server says to it. */
export async function openSession(
  { tags = [], userMetadata = {}, projectId }: SessionOptions,
  { transport, deadline }: { transport: Transport; deadline: Deadline },
): Promise<string> {
  const body = {
    tags,
    user_metadata: userMetadata,
    sdk_version: SDK_VERSION,
    ...(projectId === undefined ? {} : { project_id: projectId }),
  };
  const reply = toObject(
    await transport.request({ path: 'create_session', json: body }, { deadline }),
    'create_session',
  );
  for (const level of ['info', 'warning', 'error'] as const) {
    const message = reply[`${level}_message`];
    if (typeof message === 'string' && message !== '') transport.onEvent({ type: 'session-message', level, message });
  }
  return readText(reply, 'session_id', 'create_session');
}
