# Counts words for a while.
import re
import time


def split(text):
    return re.findall("[a-z]+", text)


def count(words):
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def most_frequent(counts):
    return sorted(counts, key=lambda word: (-counts[word], word))[:10]


text = " ".join("word%s of %s" % (chr(97 + i % 26) * (i % 5), chr(97 + i % 19)) for i in range(20000))
end = time.time() + 2
while time.time() < end:
    most_frequent(count(split(text)))
