update t set x = x + 1 where id = 1;
set timezone = 'Asia/Tokyo'; update t set at = at + interval '1 hour' where id = 2;
