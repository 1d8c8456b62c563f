import { useState } from 'react';

type Props = { names: string[]; limit?: number };

export function List({ names, limit = 10 }: Props) {
  const [open, setOpen] = useState<boolean>(false);
  const shown = open ? names : names.slice(0, limit);

  const toggle = (): void => {
    setOpen(!open);
  };

  if (names.length === 0) {
    return <p title="nothing here">empty</p>;
  }

  return (
    <section className="list">
      {shown.map((name, index) => (
        <Row key={name} name={name} odd={index % 2 === 1} last={index + 1 >= shown.length} />
      ))}
      {names.length > limit && <button onClick={toggle}>{open ? 'less' : 'more'}</button>}
    </section>
  );
}

function Row(props: { name: string; odd: boolean; last: boolean }): JSX.Element | null {
  if (!props.name) {
    return null;
  }
  const label = props.last ? props.name + '.' : props.name;
  return <li className={props.odd ? 'odd' : 'even'}>{label}</li>;
}

export function count(names: string[], prefix: string): number {
  let count = 0;
  for (let index = 0; index < names.length; index++) {
    if (names[index].startsWith(prefix)) {
      count++;
    }
  }
  return count;
}

export const isLong = (names: string[]): boolean => names.length > 20;

describe('count', () => {
  test('counts', () => {
    expect(count(['a', 'b'], 'a')).toBe(1);
  });
});
