import { useState, type ReactNode } from 'react';
import { hasSingleKeys, listKeys, setSingleKeys, type KeyBinding } from './keys.ts';
import { Modal } from './modal.tsx';

/** `?`: what the keys do here. */
export function KeyList({ onClose }: { onClose: () => void }): ReactNode {
  const [isOn, setOn] = useState(hasSingleKeys);
  const page = listKeys('page');
  return (
    <Modal label="Keys" className="keys" onClose={onClose}>
      <h2>Keys</h2>
      {page.length > 0 && <KeyTable title="This page" bindings={page} />}
      <KeyTable
        title="Everywhere"
        bindings={[{ keys: 'Ctrl K', label: 'search pages, runs and actions' }, ...listKeys('shell')]}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            setSingleKeys(target.checked);
            setOn(target.checked);
          }}
        />
        Single keys act (none does while a field has the focus)
      </label>
    </Modal>
  );
}

function KeyTable({
  title,
  bindings,
}: {
  title: string;
  bindings: readonly Pick<KeyBinding, 'keys' | 'label'>[];
}): ReactNode {
  return (
    <section>
      <h3 className="soft">{title}</h3>
      <dl>
        {bindings.map(({ keys, label }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
