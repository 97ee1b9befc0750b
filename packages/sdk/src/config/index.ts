/** `@lachesis/sdk/config`: one configuration out of flags, a file, environment variables and defaults. */
export { ConfigError } from './config-error.ts';
export { findNearestName } from './find-nearest-name.ts';
export { followInside, isInside } from './follow-inside.ts';
export { importOwnFile } from './import-own-file.ts';
export { offerPackages } from './offer-packages.ts';
export { parseSectionFlags } from './parse-section-flags.ts';
export { writeConfigYaml } from './print-config.ts';
export { placeCodeFiles } from './place-code-files.ts';
export { readYamlFile } from './read-yaml-file.ts';
export { resolveConfig, variableName } from './resolve-config.ts';
