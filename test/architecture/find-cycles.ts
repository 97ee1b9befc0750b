import path from 'node:path';
import type { SourceFile } from './check-directions.ts';
import { listEntries, type WorkspacePackage } from './packages.ts';
import { scanImports } from './scan-imports.ts';

export interface FindCyclesOptions {
  files: readonly SourceFile[];
  packages: readonly WorkspacePackage[];
}

/**
 * The sets of files that import one another in a circle, imports of types among them: the compiler drops those, and
 * a reader cannot, who must know all of the files to understand one.
 */
export function findCycles({ files, packages }: FindCyclesOptions): string[][] {
  const entries = new Map(
    packages.flatMap((workspacePackage) =>
      listEntries(workspacePackage).map(({ subpath, file }) => [
        `${workspacePackage.manifest.name}${subpath.slice(1)}`,
        file,
      ]),
    ),
  );
  const known = new Set(files.map(({ file }) => file));
  const targets = new Map(
    files.map(({ file, source }) => {
      const named = scanImports(source)
        // A worker named by its file runs in a thread of its own, and may well import the type of who starts it.
        .filter(({ isAddress }) => !isAddress)
        .map(({ specifier }) =>
          specifier.startsWith('.')
            ? path.posix.join(path.posix.dirname(file), specifier)
            : (entries.get(specifier) ?? specifier),
        );
      return [file, named.filter((target) => known.has(target))];
    }),
  );
  return findCircles(targets);
}

/** Tarjan's strongly connected components of more than one node, or of one that names itself. */
function findCircles(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const circles: string[][] = [];

  const visit = (node: string): void => {
    order.set(node, order.size);
    lowest.set(node, order.size - 1);
    open.push(node);
    isOpen.add(node);
    for (const target of targets.get(node) ?? []) {
      if (!order.has(target)) visit(target);
      if (isOpen.has(target)) lowest.set(node, Math.min(read(lowest, node), read(lowest, target)));
    }
    if (read(lowest, node) !== read(order, node)) return;
    const circle = open.splice(open.lastIndexOf(node));
    for (const member of circle) isOpen.delete(member);
    if (circle.length > 1 || targets.get(node)?.includes(node) === true) circles.push(circle.toSorted());
  };
  for (const node of targets.keys()) if (!order.has(node)) visit(node);
  return circles.toSorted((left, right) => String(left[0]).localeCompare(String(right[0])));
}

function read(numbers: ReadonlyMap<string, number>, node: string): number {
  return numbers.get(node) ?? 0;
}
