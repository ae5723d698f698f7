// The kernel log: after each launch, a hash of each numbered device allocation.
//
// LAYOUTC_RT_LOG      file to write; without it nothing is logged
// LAYOUTC_RT_LAYOUTS  how the allocations of a call site lie in memory; content is then hashed element by element and
//                     leaf by leaf in the order of the table, so that the same values in two layouts hash the same
// LAYOUTC_RT_ALLOCS   log of an earlier run: its allocation sizes say how many elements there are
// LAYOUTC_RT_IGNORE   kernels that are not launches of the program, comma separated
// LAYOUTC_RT_DUMP     launch:site:occurrence:file writes that content there
//
// Log lines:      alloc SITE OCCURRENCE BYTES | launch N KERNEL | mem N SITE OCCURRENCE HASH
//                 host-pointer N ARGUMENT, before launch N
// Layout lines:   site ID RECORD_BYTES | group TILE TILE_STRIDE
//                 leaf ORDINAL SIZE OFFSET_IN_TILE LANE_STRIDE DIMENSIONS [COUNT STRIDE]...
// Address of a leaf of element i: group base + i / TILE * TILE_STRIDE + OFFSET_IN_TILE + sum(index * STRIDE)
// + i % TILE * LANE_STRIDE. Groups follow each other, each from the next multiple of 256 bytes.
#include "state.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace layoutc_rt {
namespace {

struct Dimension {
    size_t count, stride;
};
struct Leaf {
    size_t ordinal, size, offset, lane_stride;
    std::vector<Dimension> dimensions;
    size_t group;
};
struct Group {
    size_t tile, tile_stride;
};
struct SiteLayout {
    size_t record_bytes = 0;
    std::vector<Group> groups;
    std::vector<Leaf> leaves;
};
using AllocationKey = std::pair<int, int>;  // site, occurrence

struct Settings {
    FILE* log = nullptr;
    std::map<int, SiteLayout> layouts;
    bool has_sizes = false;
    std::map<AllocationKey, size_t> sizes;
    std::set<std::string> ignored;
    long long dump_launch = -1;
    AllocationKey dump_key{-1, -1};
    std::string dump_file;

    Settings() {
        if (const char* path = getenv("LAYOUTC_RT_LOG")) {
            log = fopen(path, "w");
            if (!log) report("cannot write the log %s", path);
        }
        if (!log) return;
        if (const char* path = getenv("LAYOUTC_RT_LAYOUTS")) read_layouts(path);
        if (const char* path = getenv("LAYOUTC_RT_ALLOCS")) read_sizes(path);
        if (const char* names = getenv("LAYOUTC_RT_IGNORE")) {
            std::stringstream list(names);
            for (std::string name; std::getline(list, name, ',');) ignored.insert(name);
        }
        if (const char* dump = getenv("LAYOUTC_RT_DUMP")) {
            int used = 0;
            if (sscanf(dump, "%lld:%d:%d:%n", &dump_launch, &dump_key.first, &dump_key.second, &used) == 3) dump_file = dump + used;
        }
    }

    void read_layouts(const char* path) {
        std::ifstream file(path);
        if (!file) report("cannot read the layouts %s", path);
        SiteLayout* site = nullptr;
        for (std::string line; std::getline(file, line);) {
            std::istringstream words(line);
            std::string kind;
            words >> kind;
            if (kind == "site") {
                int id;
                size_t bytes;
                words >> id >> bytes;
                site = &layouts[id];
                site->record_bytes = bytes;
            } else if (kind == "group" && site) {
                Group g;
                words >> g.tile >> g.tile_stride;
                site->groups.push_back(g);
            } else if (kind == "leaf" && site && !site->groups.empty()) {
                Leaf leaf;
                size_t dimensions = 0;
                words >> leaf.ordinal >> leaf.size >> leaf.offset >> leaf.lane_stride >> dimensions;
                leaf.dimensions.resize(dimensions);
                for (Dimension& d : leaf.dimensions) words >> d.count >> d.stride;
                leaf.group = site->groups.size() - 1;
                site->leaves.push_back(leaf);
            }
            if (!words && !kind.empty()) report("%s: unreadable line `%s`", path, line.c_str());
        }
        for (auto& [id, s] : layouts)
            std::stable_sort(s.leaves.begin(), s.leaves.end(), [](const Leaf& a, const Leaf& b) { return a.ordinal < b.ordinal; });
    }

    void read_sizes(const char* path) {
        has_sizes = true;
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);) {
            int site, occurrence;
            size_t bytes;
            if (sscanf(line.c_str(), "alloc %d %d %zu", &site, &occurrence, &bytes) == 3) sizes[{site, occurrence}] = bytes;
        }
    }
};

Settings& settings() {
    static Settings* all = new Settings;
    return *all;
}

// Takes content in pieces; hashes it and, where asked, writes it.
struct Sink {
    uint64_t hash = 0xcbf29ce484222325;
    FILE* file = nullptr;

    void word(uint64_t value, size_t bytes) {
        if (bytes == 8) value = without_addresses(value);
        hash = (hash ^ value) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
        if (file) fwrite(&value, 1, bytes, file);
    }
    void bytes(const unsigned char* p, size_t count) {
        for (size_t at = 0; at < count; at += 8) {
            uint64_t value = 0;
            size_t take = std::min<size_t>(8, count - at);
            memcpy(&value, p + at, take);
            word(value, take);
        }
    }

private:
    // A device pointer in data differs between layouts: which allocation it is into is what both runs share.
    static uint64_t without_addresses(uint64_t value) {
        if (value >> 40 != 0x6c) return value;
        const Allocation* a = find_allocation(value);
        if (!a || a->site == kNoSite) return value;
        uint64_t offset = settings().layouts.count(a->site) ? 0 : value - a->base;
        return ((uint64_t)0x6cff << 48) ^ ((uint64_t)a->site << 36) ^ ((uint64_t)a->occurrence << 24) ^ offset;
    }
};

void feed_leaf(Sink& sink, const unsigned char* p, const Leaf& leaf, size_t dimension) {
    if (dimension == leaf.dimensions.size()) return sink.bytes(p, leaf.size);
    const Dimension& d = leaf.dimensions[dimension];
    for (size_t i = 0; i < d.count; i++) feed_leaf(sink, p + i * d.stride, leaf, dimension + 1);
}

// The end of what a leaf of the last element touches, for the bounds check.
size_t leaf_extent(const Leaf& leaf) {
    size_t extent = leaf.size;
    for (const Dimension& d : leaf.dimensions) extent += d.count == 0 ? 0 : (d.count - 1) * d.stride;
    return extent;
}

// False where the layout does not fit the allocation.
bool feed(Sink& sink, const Allocation& a) {
    const Settings& s = settings();
    auto layout = s.layouts.find(a.site);
    if (layout == s.layouts.end() || layout->second.record_bytes == 0) {
        sink.bytes((const unsigned char*)a.base, a.bytes);
        return true;
    }
    const SiteLayout& l = layout->second;
    size_t requested = a.bytes;
    if (s.has_sizes) {
        auto size = s.sizes.find({a.site, a.occurrence});
        if (size == s.sizes.end()) return false;
        requested = size->second;
    }
    const size_t n = requested / l.record_bytes;
    std::vector<size_t> bases;
    size_t base = 0;
    for (const Group& g : l.groups) {
        base = (base + 255) / 256 * 256;
        bases.push_back(base);
        base += (n + g.tile - 1) / g.tile * g.tile_stride;
    }
    for (const Leaf& leaf : l.leaves) {
        const Group& g = l.groups[leaf.group];
        size_t lanes = std::min(n, g.tile);
        if (n == 0) continue;
        size_t end = bases[leaf.group] + (n - 1) / g.tile * g.tile_stride + leaf.offset + (lanes - 1) * leaf.lane_stride + leaf_extent(leaf);
        // The last tile may be partly filled; only a layout that no lane order can fit is refused here.
        size_t last_lane = (n - 1) % g.tile;
        end -= (lanes - 1 - std::min(last_lane, lanes - 1)) * leaf.lane_stride;
        if (end > a.bytes) return false;
    }
    for (size_t i = 0; i < n; i++) {
        for (const Leaf& leaf : l.leaves) {
            const Group& g = l.groups[leaf.group];
            size_t at = bases[leaf.group] + i / g.tile * g.tile_stride + leaf.offset + i % g.tile * leaf.lane_stride;
            feed_leaf(sink, (const unsigned char*)a.base + at, leaf, 0);
        }
    }
    return true;
}

long long launches = 0;

// A generated kernel, by its name without template arguments.
bool ignored(const char* kernel) {
    std::string base(kernel);
    base = base.substr(0, base.find('<'));
    while (!base.empty() && base.back() == ' ') base.pop_back();
    return settings().ignored.count(base) != 0;
}

bool logged(const Allocation& a) { return a.live && a.site != kNoSite && (a.kind == MemoryKind::Device || a.kind == MemoryKind::Managed); }

}  // namespace

bool logging() { return settings().log != nullptr; }

void log_allocation(const Allocation& a) {
    if (!logging() || !(a.kind == MemoryKind::Device || a.kind == MemoryKind::Managed)) return;
    fprintf(settings().log, "alloc %d %d %zu\n", a.site, a.occurrence, a.bytes);
}

void log_host_pointer(const char* kernel, int argument) {
    if (logging() && !ignored(kernel)) fprintf(settings().log, "host-pointer %lld %d\n", launches, argument);
}

// Device memory is still open when this is called.
void log_launch(const char* kernel) {
    Settings& s = settings();
    if (!s.log || ignored(kernel)) return;
    const long long launch = launches++;
    fprintf(s.log, "launch %lld %s\n", launch, kernel);
    std::vector<Allocation*> order;
    for (auto& [region, a] : allocations())
        if (logged(a)) order.push_back(&a);
    std::sort(order.begin(), order.end(), [](const Allocation* a, const Allocation* b) { return AllocationKey{a->site, a->occurrence} < AllocationKey{b->site, b->occurrence}; });
    for (Allocation* a : order) {
        const bool dump = launch == s.dump_launch && AllocationKey{a->site, a->occurrence} == s.dump_key;
        if (a->dirty || dump || a->kind == MemoryKind::Managed) {
            Sink sink;
            if (dump) sink.file = fopen(s.dump_file.c_str(), "w");
            // 0 stands for a layout that does not fit the allocation.
            a->hash = feed(sink, *a) ? sink.hash | 1 : 0;
            if (sink.file) fclose(sink.file);
            a->dirty = a->kind == MemoryKind::Managed;
        }
        fprintf(s.log, "mem %lld %d %d %016llx\n", launch, a->site, a->occurrence, (unsigned long long)a->hash);
    }
    fflush(s.log);
}

}  // namespace layoutc_rt
