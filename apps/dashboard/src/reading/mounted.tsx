import { useEffect, useRef, type ReactNode, type RefObject } from 'react';

interface Handle<Options> {
  update(options: Options): void;
  destroy(): void;
}

interface MountedProps<Options, Mounting extends Handle<Options>> {
  mount: (element: HTMLElement, options: Options) => Mounting;
  options: Options;
  className?: string;
  /** Where keys of the page find it. */
  handle?: RefObject<Mounting | undefined>;
}

/** A place for what draws itself. React says where it is and what it shows, and does not look inside. */
export function Mounted<Options, Mounting extends Handle<Options>>(props: MountedProps<Options, Mounting>): ReactNode {
  const { mount, options, className, handle } = props;
  const element = useRef<HTMLDivElement>(null);
  const mounted = useRef<Mounting>(undefined);
  const shown = useRef<Options>(undefined);
  useEffect(() => {
    if (mounted.current === undefined && element.current !== null) {
      mounted.current = mount(element.current, options);
      if (handle !== undefined) handle.current = mounted.current;
    } else if (shown.current !== options) mounted.current?.update(options);
    shown.current = options;
  });
  useEffect(
    () => () => {
      mounted.current?.destroy();
      mounted.current = undefined;
      if (handle !== undefined) handle.current = undefined;
    },
    [handle],
  );
  return <div ref={element} className={className} />;
}
