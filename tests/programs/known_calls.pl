# Calls subs whose callers are known, for SECONDS: known_calls.pl SECONDS PAIRS. The first rounds ask Perl itself who
# calls whom, and write the pairs into the file PAIRS. descend() calls itself, and the bottom's name says how often.
use strict;
use warnings;

my %pairs;
my $notes;
BEGIN { $notes = 3; }

# Perl counts evals and files as callers. The native stack shows those.
sub note_pairs
{
	my @subs = grep { !/^\(eval\)$|^\(unknown\)$/ } map { (caller($_))[3] } 1 .. 200;
	push @subs, "main";
	$pairs{"$subs[$_ + 1] $subs[$_]"} = 1 for 0 .. $#subs - 1;
}

sub burn
{
	my $x = 0;
	note_pairs() if $notes;
	$x += $_ * $_ for 1 .. $_[0];
	return $x;
}

sub compare { burn(40); return $a <=> $b; }
sub compare_prototype($$) { burn(40); return $_[0] <=> $_[1]; }
sub by_number { return burn(40) * 0 + $a <=> $b; }
sub compare_in_eval { eval { burn(40); die "never mind\n" if $a == 2; }; burn(10); return $a <=> $b; }

sub sort_by_sub { return sort compare 3, 1, 2, 5, 4; }
sub sort_by_prototype { return sort compare_prototype 3, 1, 2; }
sub sort_by_block { return sort { $a <=> $b || burn(10) } 3, 3, 1; }
# The call is the last instruction of the block.
sub sort_by_call { return sort { by_number() } 3, 1, 2; }
sub sort_in_eval { return sort compare_in_eval 3, 1, 2; }
sub inner_order { return join ",", sort { burn(10); $a <=> $b } 2, 1; }
sub sort_in_sort { return sort { inner_order(); $a <=> $b } 3, 1, 2; }

package Number {
	use overload
		'+' => \&plus_over,
		'bool' => \&bool_over,
		'""' => \&text_over,
		'<=>' => \&compare_over;

	sub new { my ($class, $n) = @_; return bless {n => $n}, $class; }
	sub plus_over { return Number->new(main::burn(100) * 0 + $_[0]{n} + (ref $_[1] ? $_[1]{n} : $_[1])); }
	sub bool_over { return main::burn(60) > 0; }
	sub text_over { my $self = shift; return $self->digits; }
	sub digits { return "n" . main::burn(60); }
	sub compare_over { return main::burn(40) * 0 + $_[0]{n} <=> $_[1]{n}; }
}

sub overloaded
{
	my $n = Number->new(1) + Number->new(2);
	return "$n" if $n;
}

sub sort_overloaded { return sort { $a <=> $b } map { Number->new($_) } 3, 1, 2; }

package Tied {
	sub TIESCALAR { return bless [], shift; }
	sub FETCH { return main::burn(80); }
	sub STORE { my $self = shift; $self->keep(@_); }
	sub keep { main::burn(80); }
	sub TIEHASH { return bless {}, shift; }
	sub EXISTS { return eval { main::burn(80); 1 }; }
}

sub tied_values
{
	tie my $scalar, "Tied";
	tie my %hash, "Tied";
	$scalar = $scalar + 1;
	return exists $hash{a};
}

package Mortal {
	sub new { return bless {}, shift; }
	sub DESTROY { main::burn(80); }
}

sub drop { my $mortal = Mortal->new; burn(20); undef $mortal; return 1; }
# The object goes when the sub has returned already, or with its arguments.
sub drop_at_end { my $mortal = Mortal->new; return burn(20); }
sub drop_argument { shift; return burn(20); }
sub drop_all { drop_at_end(); drop_argument(Mortal->new); @_ = (Mortal->new); return; }
sub die_with { my $mortal = Mortal->new; die $_[0] . "\n"; }
sub catch { eval { die_with("x"); 1 } or burn(60); return; }
sub catch_within { for my $i (1 .. 2) { eval { sort_dying(); 1 } or burn(30); } return; }
sub die_in_sort { my $mortal = Mortal->new; burn(10); die "x\n" if $a == 1; return $a <=> $b; }
sub sort_dying { my @sorted = sort { die_in_sort() } 3, 1, 2; burn(10); return @sorted; }

sub evaluate { return eval "burn(100)"; }
sub evaluate_sub { return eval "sub { burn(100) }->()"; }

sub count_up { my $n = shift; return sub { return burn(80) + $n++; }; }
sub closures { my $count = count_up(3); return $count->() + $count->(); }

sub go_on { goto &arrived; }
sub arrived { return burn(80); }

our $AUTOLOAD;
sub AUTOLOAD { return burn(80); }
sub autoloaded { return main->no_such_sub; }

sub warned { local $SIG{__WARN__} = sub { burn(80); }; warn "hot\n"; return; }
sub signalled { local $SIG{USR1} = sub { burn(80); }; kill "USR1", $$; return burn(10); }

sub matched { return "abc" =~ /b(?{ burn(80) })/; }
sub replaced { (my $text = "banana") =~ s/a/burn(30)/ge; return $text; }

# List::Util calls C code, which calls the block many times.
my $has_util = eval { require List::Util; List::Util->import("first", "reduce"); 1 };
sub find_first { return List::Util::first(sub { burn(40); $_ == 3 }, 1 .. 4); }
sub find_true { return List::Util::first(sub { Number->new($_) }, 1 .. 4); }
sub reduced { return List::Util::reduce(sub { burn(40) + $a + $b }, 1 .. 4); }

# A file that is read at each time.
my ($folder) = $ARGV[1] =~ m{^(.*)/};
open my $module, ">", "$folder/Imported.pm" or die;
print $module "package Imported; main::burn(60); sub import { main::burn(60); } sub used { main::burn(60); } used(); 1;\n";
close $module;
unshift @INC, $folder;

sub load { delete $INC{"Imported.pm"}; no warnings; require Imported; Imported->import; return; }
sub load_hooked
{
	delete $INC{"Imported.pm"};
	local @INC = (sub { burn(60); return; }, @INC);
	no warnings;
	return eval "use Imported; 1";
}

# Perl cannot say that a format calls.
sub formatted { my $x = 0; $x += $_ for 1 .. 40; return $x; }
$pairs{"main::print_format main::HELD"} = $pairs{"main::HELD main::formatted"} = 1;
format HELD =
@<<<<
formatted()
.
open HELD, ">", "/dev/null";
sub print_format { write HELD; return; }

sub descend
{
	my ($n, $bottom) = @_;
	return descend($n - 1, $bottom) if $n > 1;
	no strict "refs";
	return &$bottom();
}
for (my $depth = 1; $depth < 60; $depth += 9) {
	eval "sub bottom_$depth { return burn(200); }";
}

sub Thing::method { return burn(100); }

sub work
{
	sort_by_sub();
	my @sorted = sort_by_sub();
	@sorted = sort_by_prototype();
	@sorted = sort_by_block();
	@sorted = sort_by_call();
	@sorted = sort_in_eval();
	@sorted = sort_in_sort();
	@sorted = sort_overloaded();
	overloaded();
	tied_values();
	drop();
	drop_all(1);
	catch();
	catch_within();
	evaluate();
	evaluate_sub();
	closures();
	go_on();
	autoloaded();
	warned();
	signalled();
	matched();
	replaced();
	if ($has_util) {
		find_first();
		find_true();
		reduced();
	}
	load();
	load_hooked();
	print_format();
	Thing->method;
	for (my $depth = 1; $depth < 60; $depth += 9) {
		descend($depth, "bottom_$depth");
	}
}

work() while $notes--;
$notes = 0;
open my $file, ">", $ARGV[1] or die;
print $file "$_\n" for sort keys %pairs;
close $file;
my $end = time + $ARGV[0];
work() while time < $end;
