// Reads a log as golang.org/x/mod/sumdb does: opens its heads, proves that each continues the one before, and checks every
// leaf and every tile of the last one. Usage: fsck URL VKEY HEAD..., heads being files, the smallest first.
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type reader struct{ url string }

func (r reader) Height() int                              { return 8 }
func (r reader) SaveTiles(tiles []tlog.Tile, data [][]byte) {}

// place writes an index in groups of three digits, as C2SP tlog-tiles does.
func place(n int64) string {
	path := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		path = fmt.Sprintf("x%03d/%s", n%1000, path)
	}
	return path
}

func (r reader) get(path string, width int) ([]byte, error) {
	if width < 256 {
		path = fmt.Sprintf("%s.p/%d", path, width)
	}
	response, err := http.Get(r.url + "/log/tile/" + path)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s", path, response.Status)
	}
	return io.ReadAll(response.Body)
}

func (r reader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range tiles {
		bytes, err := r.get(fmt.Sprintf("%d/%s", tile.L, place(tile.N)), tile.W)
		if err != nil {
			return nil, err
		}
		data = append(data, bytes)
	}
	return data, nil
}

func main() {
	tiles := reader{os.Args[1]}
	verifier, err := note.NewVerifier(os.Args[2])
	must(err)
	var trees []tlog.Tree
	for _, path := range os.Args[3:] {
		text, err := os.ReadFile(path)
		must(err)
		opened, err := note.Open(text, note.VerifierList(verifier))
		must(err)
		var origin, root string
		var tree tlog.Tree
		_, err = fmt.Sscanf(opened.Text, "%s\n%d\n%s\n", &origin, &tree.N, &root)
		must(err)
		tree.Hash, err = tlog.ParseHash(root)
		must(err)
		trees = append(trees, tree)
	}
	last := trees[len(trees)-1]
	hashes := tlog.TileHashReader(last, tiles)
	for i, old := range trees {
		for _, fresh := range trees[i:] {
			proof, err := tlog.ProveTree(fresh.N, old.N, tlog.TileHashReader(fresh, tiles))
			must(err)
			must(tlog.CheckTree(proof, fresh.N, fresh.Hash, old.N, old.Hash))
		}
	}
	for n := int64(0); n < last.N; n += 256 {
		width := last.N - n
		if width > 256 {
			width = 256
		}
		bundle, err := tiles.get("entries/"+place(n/256), int(width))
		must(err)
		for i := n; i < n+width; i++ {
			length := int(binary.BigEndian.Uint16(bundle))
			leaf := tlog.RecordHash(bundle[2 : 2+length])
			bundle = bundle[2+length:]
			proof, err := tlog.ProveRecord(last.N, i, hashes)
			must(err)
			must(tlog.CheckRecord(proof, last.N, last.Hash, i, leaf))
		}
		if len(bundle) != 0 {
			must(fmt.Errorf("bundle %d is too long", n/256))
		}
	}
	fmt.Println(len(trees), last.N)
}
