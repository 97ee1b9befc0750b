import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';

import { createSandboxOver } from '../command/create-sandbox-over.ts';
import { resolveLimits } from '../limits.ts';
import type { Sandbox, SandboxProvider } from '../sandbox.ts';
import { findControlGroupHome } from './control-group.ts';
import { createBuildQueue, runInQueue } from './create-build-queue.ts';
import { requirePrograms } from './host-programs.ts';
import type { NamespaceProviderOptions } from './namespace-provider-options.ts';
import { startNamespace } from './start-namespace.ts';
import { reapSandboxes } from './reap-sandboxes.ts';
import { describeMaker, isMakerAlive, writeTag } from './tag.ts';

/**
 * Sandboxes from the kernel's namespaces, by bubblewrap: an own user, no network, a read-only system and one small disk in
 * memory. Linux only; throws `unavailable` where a program it needs is missing.
 */
export function createNamespaceProvider(given: NamespaceProviderOptions = {}): SandboxProvider {
  requirePrograms();
  const home = given.controlGroups === undefined ? findControlGroupHome() : (given.controlGroups ?? undefined);
  const createId = given.createId ?? (() => randomBytes(6).toString('hex'));
  const maker = describeMaker();
  const living = new Map<string, Sandbox>();
  // Those half made included, so that `reap` does not end what `create` is about to hand out.
  const own = new Set<string>();
  const groups = home === undefined ? {} : { home };
  const queue = createBuildQueue(availableParallelism());
  // Thirty that are made at once are all ready at the end; one after another, most are ready long before.
  const worlds = createBuildQueue(availableParallelism());
  let sweeping: Promise<unknown> | undefined;
  return {
    name: 'namespace',
    async create(options) {
      if (given.isReapingOnCreate !== false) {
        // Of whatever owner: a maker that is gone cannot come back for what it left.
        sweeping ??= reapSandboxes({ isSpared: isMakerAlive, ...groups });
        await sweeping;
      }
      const id = createId();
      own.add(id);
      const limits = resolveLimits(options.limits);
      const tag = writeTag({ owner: options.owner, ...maker, id });
      const launcher = await runInQueue(worlds, () =>
        startNamespace({ given, home, limits, tag, queue, network: options.network }),
      );
      const sandbox = await createSandboxOver({
        ...{ id, launcher, limits },
        // What the maker set goes before; a proxy that it names is another's.
        options: { ...options, env: { ...launcher.network?.env, ...options.env } },
        network: launcher.network?.proxy,
        onDestroyed: () => {
          own.delete(id);
          living.delete(id);
        },
      });
      living.set(id, sandbox);
      return sandbox;
    },
    reap: (owner) => reapSandboxes({ owner, isSpared: (tag) => own.has(tag.id), ...groups }),
    async close() {
      await Promise.all([...living.values()].map((sandbox) => sandbox.destroy()));
    },
  };
}
