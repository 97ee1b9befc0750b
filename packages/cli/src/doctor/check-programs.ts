import { LEAST_NODE, refuseOldNode } from '../refuse-old-node.ts';
import { failed, ok, warn, type CheckResult } from './finding.ts';

export function checkNode(version: string): CheckResult {
  const refusal = refuseOldNode(version);
  return refusal === undefined
    ? ok(`Node ${version.replace(/^v/, '')}`)
    : failed(
        `Node ${version.replace(/^v/, '')} is too old`,
        `Install Node ${LEAST_NODE} or newer, for example with \`nvm install ${LEAST_NODE}\`.`,
      );
}

/** Texts become tokens in a native package: without its binary nothing can be trained or served here. */
export function checkTokenizers(problem: string | undefined): CheckResult {
  return problem === undefined
    ? ok('the package tokenizers encodes and decodes')
    : failed(
        `the package tokenizers does not load: ${problem}`,
        'Install lachesis again on this machine, with optional dependencies (not --omit=optional): its binary is one.',
      );
}

/** Only the local engine and Python environments need it, so its absence stops nobody. */
export function checkPython(found: { version: string; path: string } | { problem: string }): CheckResult {
  return 'problem' in found
    ? warn(found.problem, 'Get it with `uv python install 3.12`. Without it only engines elsewhere can be used.')
    : ok(`Python ${found.version} (${found.path})`);
}

/** Without it the engine is installed with pip, which takes some minutes more. */
export function checkUv(path: string | undefined): CheckResult {
  return ok(path === undefined ? 'not found; the engine is installed with pip instead' : path);
}

export interface EngineFacts {
  /** What clients are told to use instead of a local engine. */
  readonly outside: { url: string | undefined; variable: string } | undefined;
  /** Whether the server outside answers; undefined when it has no address to ask. */
  readonly outsideAnswers: boolean | undefined;
  readonly isInstalled: boolean;
  readonly running: { state: string; url: string } | undefined;
}

export function checkEngine({ outside, outsideAnswers, isInstalled, running }: EngineFacts): CheckResult {
  if (outside !== undefined) {
    const where = outside.url ?? 'the managed service';
    return outsideAnswers === false
      ? failed(
          `${outside.variable} names ${where}, which does not answer`,
          `Start that server, or unset ${outside.variable} to use an engine on this machine.`,
        )
      : ok(`${where} (${outside.variable})`);
  }
  if (running?.state === 'ready') return ok(`up on ${running.url}`);
  if (running !== undefined) {
    return warn(
      `${running.state} on ${running.url}`,
      'Wait for it, or restart it: `lachesis engine down`, then `lachesis engine up`.',
    );
  }
  return isInstalled
    ? ok('installed, not running; `lachesis engine up` starts it')
    : warn('not installed', '`lachesis engine up` installs and starts it (0.9 GB), or set TINKER_BASE_URL.');
}
