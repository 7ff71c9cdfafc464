%% SPDX-License-Identifier: GPL-2.0-or-later
%% Calls functions whose callers are known: erl -noshell -s known_calls start SECONDS. The callers of each function are
%% in tests/judges/beam.awk. descend/2 calls itself, and the bottom's name says how often. Each function has something to
%% do after its calls, so its frame stays.
-module(known_calls).
-export([start/1, server/1, applied/1]).

start([Seconds]) ->
    io:format("running~n"),
    End = erlang:monotonic_time(second) + list_to_integer(atom_to_list(Seconds)),
    Server = spawn(?MODULE, server, [[]]),
    ets:new(known, [named_table, public, ordered_set]),
    Other = spawn(fun() -> until(End, Server) end),
    until(End, Server),
    exit(Other, kill),
    halt(0).

until(End, Server) ->
    case erlang:monotonic_time(second) >= End of
        true -> ok;
        false ->
            [round(N, Server) || N <- lists:seq(1, 50)],
            until(End, Server)
    end.

round(N, Server) ->
    A = work(N),
    B = ask(Server, N),
    [A | B].

work(N) ->
    A = leave_addresses(N),
    B = wide(N, A, 3),
    C = descend(10, 10),
    D = descend(60, 60),
    E = churn(N),
    F = fail(N),
    G = builtins(N),
    H = match_binary(<<N:32, "some text">>, 0),
    I = apply_fun(fun in_fun/1, N),
    J = leave_addresses(N),
    K = late(N, [J, I]),
    {A, B, C, D, E, F, G, H, I, J, K}.

%% Leaves many return addresses where the frames of later functions will be.
leave_addresses(N) ->
    A = leave_1(N),
    A + 1.
leave_1(N) ->
    A = leave_2(N),
    A + 1.
leave_2(N) ->
    A = leave_3(N),
    A + 1.
leave_3(N) ->
    A = leave_4(N),
    A + 1.
leave_4(N) ->
    A = burn(2, N),
    A + 1.

%% Has a large frame, which is made again and again.
wide(_, _, 0) -> ok;
wide(N, A, Times) ->
    {B, C, D} = {N + 1, N + 2, A + 3},
    E = few(B),
    F = few(C),
    G = leave_addresses(D),
    H = wide(N, A, Times - 1),
    {A, B, C, D, E, F, G, H}.

%% Makes its frame after a test, and stores parts of a list into it.
late(0, _) -> none;
late(N, [A | B]) ->
    X = few(A),
    Y = late(N div 2, [A | B]),
    {X, Y, B}.

descend(0, 10) -> R = bottom10(5), R + 1;
descend(0, 60) -> R = bottom60(5), R + 1;
descend(N, Depth) ->
    R = descend(N - 1, Depth),
    R + 1.

bottom10(N) -> R = burn(N * 20, 1), R + 1.
bottom60(N) -> R = burn(N * 20, 1), R + 1.

%% Makes garbage, so the collector moves the stack.
churn(N) ->
    L = build(30 + N div 2, []),
    M = lists:map(fun(X) -> Y = element_of(X), [Y] end, L),
    length(M).

build(0, L) -> L;
build(N, L) -> build(N - 1, [{N, float(N), [N]} | L]).

element_of({A, B, C}) ->
    D = few(A),
    {D, B, C}.

fail(N) ->
    try
        R = raise(N, 5),
        {R, none}
    catch
        throw:X -> Y = few(X), {caught, Y}
    end.

raise(N, 0) -> throw(N);
raise(N, Depth) ->
    R = raise(N, Depth - 1),
    [R].

builtins(N) ->
    B = term_to_binary(lists:seq(1, 200)),
    ets:insert(known, {N, B}),
    C = binary_to_term(B),
    D = ets:lookup(known, N),
    E = lists:sort(fun compare/2, lists:reverse(C)),
    F = maps:from_list([{K, K} || K <- C]),
    G = lists:foldl(fun(K, Sum) -> V = value(K, F), V + Sum end, 0, C),
    {D, E, G, self()}.

compare(A, B) ->
    X = burn(1, A),
    Y = burn(1, B),
    is_integer(X) andalso is_integer(Y) andalso A =< B.

value(K, Map) ->
    V = maps:get(K, Map),
    few(K),
    V.

match_binary(<<C, Rest/binary>>, Sum) ->
    S = few(C),
    R = match_binary(Rest, Sum),
    [S | R];
match_binary(<<>>, Sum) -> [Sum].

apply_fun(Fun, N) ->
    R = Fun(N),
    S = apply(?MODULE, applied, [N]),
    {R, S}.

applied(N) ->
    R = few(N),
    [R].

in_fun(N) ->
    R = few(N),
    [R].

%% Waits for messages with frames on its stack.
server(State) ->
    {From, Question} = wait_for_question(),
    From ! {answer, answer(Question)},
    server([Question | lists:sublist(State, 5)]).

wait_for_question() ->
    Message = receive {ask, From, Question} -> {From, Question} end,
    few(1),
    Message.

answer(Question) ->
    A = few(Question),
    [A].

ask(Server, N) ->
    Server ! {ask, self(), N},
    Answer = receive {answer, A} -> A end,
    few(N),
    Answer.

%% As in the text that a generator of parsers has made, the lines are those of another file (tests/judges/beam_lines.awk).
-file("other.hrl", 500).
few(X) ->
    Y = burn(3, X),
    {X, Y}.

burn(0, X) -> X;
burn(N, X) -> burn(N - 1, (X * 7 + N) rem 1000003).
