create table parent (id int primary key, name text, children text[] not null default '{}');
create table child (id int primary key, parent int not null references parent, name text);
create function gather() returns trigger language plpgsql as $$ begin
  update parent p set children = (select coalesce(array_agg(c.name order by c.id), '{}') from child c where c.parent = p.id)
    where p.id in (coalesce(new.parent, old.parent), coalesce(old.parent, new.parent));
  return null;
end $$;
create trigger gather after insert or update or delete on child for each row execute function gather();
create view expected as select *, cardinality(children) as child_count from parent;
