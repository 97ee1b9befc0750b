/*
 * @lachesis/protocol/names: what things may be called, how far two names are apart, and the names of tool-call formats. Loads no schema: settings are read
 * by the parent of a server, which stays in memory.
 */
export { describeNames, isName, LOCAL_TENANT } from './auth/names.ts';
export type { NamedThing } from './auth/names.ts';
export { TOOL_CALL_FORMATS } from './chat/tool-call-formats.ts';
export { editDistance } from './edit-distance.ts';
export { REDACTION_VARIABLES } from './redaction/redaction-variables.ts';
