// Verifies a log in a folder with Go's sumdb/note and sumdb/tlog: signatures, every entry, and the proofs in the file "proofs".
package main

import (
	"bufio"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

var folder = os.Args[1]

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func demand(ok bool, format string, values ...any) {
	if !ok {
		check(fmt.Errorf(format, values...))
	}
}

func read(name string) []byte {
	data, err := os.ReadFile(filepath.Join(folder, name))
	check(err)
	return data
}

func hash(text string) (h tlog.Hash) {
	data, err := base64.StdEncoding.DecodeString(text)
	check(err)
	demand(len(data) == len(h), "%q is no hash", text)
	copy(h[:], data)
	return h
}

// tiles reads the folder. c2sp.org/tlog-tiles leaves the height out of the path.
type tiles struct{}

func (tiles) Height() int { return 8 }

func (tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range wanted {
		data, err := os.ReadFile(filepath.Join(folder, strings.Replace(tile.Path(), "tile/8/", "tile/", 1)))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// cosigned verifies a cosignature/v1 (c2sp.org/tlog-cosignature) over the text.
func cosigned(text, key string, signatures []note.Signature) bool {
	parts := strings.SplitN(key, "+", 3)
	public, err := base64.StdEncoding.DecodeString(parts[2])
	check(err)
	demand(public[0] == 4, "%q is no witness's key", key)
	id, err := strconv.ParseUint(parts[1], 16, 32)
	check(err)
	for _, signature := range signatures {
		blob, err := base64.StdEncoding.DecodeString(signature.Base64)
		check(err)
		if signature.Name != parts[0] || signature.Hash != uint32(id) || len(blob) != 76 {
			continue
		}
		message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", binary.BigEndian.Uint64(blob[4:12]), text)
		return ed25519.Verify(public[1:], []byte(message), blob[12:])
	}
	return false
}

func main() {
	verifier, err := note.NewVerifier(os.Args[2])
	check(err)
	opened, err := note.Open(read("checkpoint"), note.VerifierList(verifier))
	check(err)
	demand(cosigned(opened.Text, os.Args[3], opened.UnverifiedSigs), "the witness's signature does not verify")
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	tree := tlog.Tree{N: size, Hash: hash(lines[2])}
	hashes := tlog.TileHashReader(tree, tiles{})
	leaves := entries(size, hashes)
	root, err := tlog.TreeHash(size, hashes)
	check(err)
	demand(root == tree.Hash, "the root is another one")
	fmt.Printf("%d entries, %d proofs\n", size, proofs(leaves, hashes))
}

// entries compares every entry with the tiles, which the reader compares with the signed root.
func entries(size int64, hashes tlog.HashReader) []tlog.Hash {
	var leaves []tlog.Hash
	for first := int64(0); first < size; first += 256 {
		tile := tlog.Tile{H: 8, L: -1, N: first / 256, W: int(min(256, size-first))}
		data := read(strings.Replace(strings.Replace(tile.Path(), "tile/8/", "tile/", 1), "tile/data/", "tile/entries/", 1))
		var indexes []int64
		for i := 0; i < tile.W; i++ {
			demand(len(data) >= 2, "a bundle is too short")
			length := int(binary.BigEndian.Uint16(data))
			demand(len(data) >= 2+length, "a bundle is too short")
			leaves = append(leaves, tlog.RecordHash(data[2:2+length]))
			indexes = append(indexes, tlog.StoredHashIndex(0, first+int64(i)))
			data = data[2+length:]
		}
		demand(len(data) == 0, "a bundle is too long")
		stored, err := hashes.ReadHashes(indexes)
		check(err)
		demand(reflect.DeepEqual(stored, leaves[first:]), "entries from %d on are not in the tiles", first)
	}
	return leaves
}

func min(a, b int64) int64 {
	if a < b {
		return a
	}
	return b
}

// proofs verifies lines "inclusion SIZE INDEX HASH…" and "consistency SIZE OLDSIZE HASH…", and compares them with proofs of its own.
func proofs(leaves []tlog.Hash, hashes tlog.HashReader) (count int) {
	scanner := bufio.NewScanner(strings.NewReader(string(read("proofs"))))
	for scanner.Scan() {
		fields := strings.Fields(scanner.Text())
		size, err := strconv.ParseInt(fields[1], 10, 64)
		check(err)
		other, err := strconv.ParseInt(fields[2], 10, 64)
		check(err)
		var given []tlog.Hash
		for _, field := range fields[3:] {
			given = append(given, hash(field))
		}
		root, err := tlog.TreeHash(size, hashes)
		check(err)
		var own []tlog.Hash
		if fields[0] == "inclusion" {
			check(tlog.CheckRecord(given, size, root, other, leaves[other]))
			record, err := tlog.ProveRecord(size, other, hashes)
			check(err)
			own = record
		} else {
			old, err := tlog.TreeHash(other, hashes)
			check(err)
			check(tlog.CheckTree(given, size, root, other, old))
			tree, err := tlog.ProveTree(size, other, hashes)
			check(err)
			own = tree
		}
		demand(len(given) == len(own) && (len(own) == 0 || reflect.DeepEqual(given, own)), "another proof: %s", scanner.Text())
		count++
	}
	check(scanner.Err())
	return count
}
