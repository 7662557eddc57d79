# The links of the documents as they are in the package: what it has under another name, and what is only in the sources.
s|\]\(((\.\./)*)CHANGELOG\.md\)|](\1changelog.gz)|g
s|\]\(((\.\./)*)LICENSE\)|](\1copyright)|g
s#\[([^]]*)\]\((\.\./)*(Tests|Benchmarks|Fuzz|CONTRIBUTING\.md|examples/libraries)[^)]*\)#\1#g
