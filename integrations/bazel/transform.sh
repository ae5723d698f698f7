#!/bin/sh
# Called by layoutc.bzl:  transform.sh LAYOUTC FOLDER PREFIX @PARAMETERS
#
# Rewrites the program that the parameters describe, a word a line: sources and options of `layoutc transform` and,
# behind `--`, headers. Each source and header is written below FOLDER, changed or not, at its path without PREFIX, the
# package. Paths are those of the folder in which Bazel runs actions, where all inputs are links.
set -eu

layoutc=$1
folder=$2
prefix=$3
parameters=${4#@}
shift 4

headers=
behind=
while IFS= read -r word || [ -n "$word" ]; do
    if [ -n "$behind" ]; then
        headers="$headers$word
"
    elif [ "$word" = -- ]; then
        behind=yes
    else
        set -- "$@" "$word"
    fi
done < "$parameters"

written=$folder.layoutc
rm -rf "$written"
# The rule declares the files that there are.
"$layoutc" transform "$@" --helpers inline --root . --out-dir "$written"
mkdir -p "$folder"
if [ -e "$written/$prefix" ]; then
    cp -R "$written/$prefix." "$folder"
fi
rm -rf "$written"

# Headers that no source includes are not written by it.
printf '%s' "$headers" | while IFS= read -r header; do
    place=$folder/${header#"$prefix"}
    if [ ! -e "$place" ]; then
        mkdir -p "$(dirname "$place")"
        cp "$header" "$place"
    fi
done
