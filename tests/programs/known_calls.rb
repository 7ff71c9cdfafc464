# Calls functions whose callers are known, for SECONDS: known_calls.rb SECONDS PAIRS. The first round asks Ruby itself who
# calls whom, and writes the pairs into the file PAIRS. descend and nest call themselves, and the bottom's name says how
# often.

require "fiber"

$pairs = {}
$is_first = true

# Functions in C have the place of their caller, and no frame of their own in a profile.
METHODS = File.read(__FILE__).scan(/def (?:self\.)?([a-z_]+)/).flatten.uniq << "<=>"
(1..60).each { |depth| METHODS << "bottom_#{depth}" << "floor_#{depth}" }

# From 3.4 on, labels have the class, and methods of Ruby's own that are written in Ruby have their caller's file.
def written_in_ruby?(frame)
  return true if frame.label =~ /\A(block|rescue|ensure|<)/ || frame.path.to_s.start_with?("<internal")
  return METHODS.include?(frame.label) unless frame.label =~ /\A([A-Z][\w:]*)([#.])(.+)/
  owner = Object.const_get($1)
  ($2 == "#" ? owner.instance_method($3) : owner.method($3)).source_location
end

def name_of(frame)
  frame.label.sub(/[A-Z][\w:]*[#.]/, "")
end

def note_pairs
  frames = caller_locations(1).select { |frame| written_in_ruby?(frame) }
  frames.each_cons(2) { |frame, from| $pairs["#{name_of(from)};#{name_of(frame)}"] = true }
end

def burn(n)
  note_pairs if $is_first
  x = i = 0
  while i < n
    x += i * i
    i += 1
  end
  x
end

def sort_by_block
  [3, 1, 2].sort { |a, b| burn(150) * 0 + (a <=> b) }
end

def each_in_array
  [1, 2].each { |n| burn(150) }
end

def each_in_hash
  {a: 1, b: 2}.each_pair { |key, value| burn(150) }
end

def break_out
  [1, 2, 3].each do |n|
    burn(100)
    break if n == 2
  end
end

def thrower
  burn(100)
  throw :done
end

def catch_it
  catch(:done) { each_and_throw }
end

def each_and_throw
  [1].each { thrower }
end

def fail_here
  burn(100)
  raise ArgumentError
end

def rescue_it
  fail_here
rescue ArgumentError
  burn(100)
ensure
  burn(100)
end

def rescue_through_c
  [1].each { [2].each { fail_here } }
rescue ArgumentError
  burn(100)
end

def yielder
  yield burn(100)
end

def yield_it
  yielder { |x| burn(100) }
end

def call_lambda
  double = lambda { |n| burn(n) }
  double.call(150)
end

class Thing
  include Comparable

  def method_missing(name, *arguments)
    burn(150)
  end

  def respond_to_missing?(name, all = false)
    true
  end

  def <=>(other)
    burn(100) * 0
  end

  def initialize
    burn(100)
  end

  def self.of_class
    burn(150)
  end

  define_method(:defined) { burn(150) }

  def to_s
    burn(100).to_s
  end
end

def use_things
  thing = Thing.new
  thing.anything
  thing == Thing.new
  thing.defined
  Thing.of_class
  "a #{thing} b"
  thing.instance_eval { burn(100) }
  thing.send(:to_s)
end

def evaluate
  eval("burn(200)")
end

def in_fiber
  burn(150)
  Fiber.yield
  burn(150)
end

def run_fiber
  burn(10)
  fiber = Fiber.new { in_fiber }
  fiber.resume
  fiber.resume
end

def next_of_enumerator
  burn(10)
  numbers = Enumerator.new { |y| 3.times { |n| y << burn(150) + n } }
  numbers.next + numbers.next
end

def replace_matches
  "banana".gsub(/a/) { |match| burn(150).to_s }
end

def descend(n, bottom)
  return descend(n - 1, bottom) if n > 1
  send(bottom)
end

def nest(n, floor)
  return [1].each { nest(n - 1, floor) } if n > 1
  send(floor)
end

# In bottom_1, bottom_10 and so on, the names of the methods.
1.step(59, 9) do |depth|
  eval("def bottom_#{depth}; burn(300); end; def floor_#{depth}; burn(300); end")
  burn(10)
end

def work
  sort_by_block
  each_in_array
  each_in_hash
  break_out
  catch_it
  rescue_it
  rescue_through_c
  yield_it
  call_lambda
  use_things
  evaluate
  run_fiber
  next_of_enumerator
  replace_matches
  1.step(59, 9) { |depth| descend(depth, "bottom_#{depth}") }
  1.step(10, 9) { |depth| nest(depth, "floor_#{depth}") }
end

def seconds
  burn(10)
  Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

def work_until(end_time)
  loop do
    work
    break if seconds >= end_time
  end
end

end_time = seconds + ARGV[0].to_f
Thread.new { work_until(0) }.join
work_until(0)
$is_first = false
File.write(ARGV[1], $pairs.keys.join("\n") + "\n")
thread = Thread.new { work_until(end_time) }
work_until(end_time)
thread.join
