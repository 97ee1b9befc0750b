import { type readRedactionSettings, openRedactor, type Redactor } from '@lachesis/protocol';
import { rememberShortTexts } from './remember-short-texts.ts';

type RedactionSettings = ReturnType<typeof readRedactionSettings>;

/** The rules of the home, for a gateway: a conversation is sent again with each call. */
export const openCallRedactor = (
  settings: RedactionSettings,
  variables: Readonly<Record<string, string | undefined>>,
): Redactor => rememberShortTexts(openRedactor(settings, variables));
