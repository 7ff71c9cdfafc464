% SPDX-License-Identifier: GPL-2.0-or-later
% Functions of Octave that call themselves up to 40 deep, for SECONDS of CPU time: octave-cli deep_calls.m SECONDS
1; % a script, though it begins with a function

function x = sums(n)
  x = 0;
  for i = 1:n
    x = x + mod(i * 7, 11);
  end
end

function x = descend(n)
  if n > 0
    x = descend(n - 1) + 1;
  else
    x = sums(400);
  end
end

function x = each(n)
  x = sum(cellfun(@(k) descend(k), {1, n, 20}));
end

finish = cputime() + str2double(argv(){1});
while cputime() < finish
  descend(12);
  each(40);
  sums(300);
end
