// Sums over what instrumented accesses did, request by request: for programs on the runtime (profile.cpp) and for those
// in OpenCL (opencl/recorder.cpp).
//
// LAYOUTC_RT_PROFILE       file that takes the sums; without it nothing is recorded. It is mapped, so what was recorded
//                          is there however the program ends.
// LAYOUTC_RT_PROFILE_ROWS  socket (Unix domain) that takes single rows, too
// LAYOUTC_RT_PROFILE_EVERY of every so many warps one is sent there
//
// The file, all numbers little-endian: ProfileHeader, ProfileInstruction for each, ProfileRange for each, ProfileSlot up
// to `capacity` from the next multiple of 8 bytes. A row is ProfileRow.
//
// An access is noted with the address of an object of which it accesses some ranges of bytes; its address is that of
// the first of these bytes.
//
// Threads of a warp run one after another here, so each thread keeps a log, and the lanes' logs are put together when
// the block has run, or when a log is full: what lanes did in the same iteration of the same loops is one request, as on
// a device whose lanes meet again behind each branch and each iteration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace layoutc_rt {

// Says what is wrong and ends the program.
[[noreturn]] void profile_failed(const std::string& sentence);

namespace {

constexpr char kProfileMagic[8] = {'L', 'A', 'Y', 'P', 'R', 'O', 'F', '2'};
constexpr unsigned kProfileLevels = 13;

struct ProfileHeader {
    char magic[8];
    uint32_t instructions, capacity, used, overflowed, ranges, reserved;
};
// `ranges` of ProfileRange from the position `first`: what a lane accesses of the object that is noted.
struct ProfileInstruction {
    uint32_t element_bytes, first, ranges;
};
struct ProfileRange {
    uint32_t offset, bytes;
};
enum SlotKind : uint32_t { kFree = 0, kAccess = 1, kLoop = 2, kLaunch = 3 };
enum AccessCount { kRequests, kLanes, kLineLanes, kShared, kAddressLanes, kLines, kSectors, kStrided, kStride, kVotes, kBlocks };
// kAccess: the counts above. kLoop: entries, iterations. kLaunch: launches; the shape is in `shape`.
struct ProfileSlot {
    uint32_t kind;
    int32_t kernel, item, scope;
    uint32_t shape[6];
    uint32_t reserved[2];
    uint64_t counts[kBlocks + kProfileLevels];
};
struct ProfileRow {
    uint64_t warp, address;
    uint32_t instruction, lane;
    int32_t kernel, scope;
};

uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t x = a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2));
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
    return x ^ x >> 32;
}

struct LoggedAccess {
    uint64_t key, address;
    uint32_t instruction;
    int32_t scope;
};
struct LoopFrame {
    unsigned loop;
    uint64_t outside;  // the position around it
    uint64_t entry;    // of this entry among all of the iteration around it
    uint64_t iteration;
    ProfileSlot* slot;
    std::vector<std::pair<unsigned, unsigned>> entered;  // loops within this iteration, and how often
};
constexpr uint64_t kOutside = 1;  // the position outside of all loops
// What is recorded of an iteration is kept as a whole or not at all, where samples are taken: its lot, which the key of
// each access begins with, decides. Lot 0 is outside of all loops.
uint32_t lot_of(uint64_t position) { return position == kOutside ? 0 : 1 + (uint32_t)(mix(position, 0x10f5) % 0xffff); }
bool is_in_sample(uint32_t lot, uint32_t rate) { return lot == 0 || (lot - 1) % rate == 0; }

struct Stamp {
    uint64_t position;
    unsigned count;
};
struct ThreadLog {
    std::vector<LoggedAccess> log;
    std::vector<LoopFrame> loops;
    std::vector<std::pair<unsigned, unsigned>> entered;
    std::vector<Stamp> stamps;
    uint64_t position = kOutside;

    void restart() {
        log.clear();
        loops.clear();
        entered.clear();
        stamps.clear();
        position = kOutside;
    }
};
struct Request {
    uint64_t key;
    uint32_t instruction, mask;
    int32_t scope;
    uint64_t addresses[32];
};
struct SlotKey {
    uint32_t kind;
    int32_t kernel, item, scope;
    uint32_t shape[6];
    bool operator<(const SlotKey& o) const { return memcmp(this, &o, sizeof o) < 0; }
};

struct ProfileSums {
    ProfileHeader* header = nullptr;
    const ProfileInstruction* instructions = nullptr;
    const ProfileRange* ranges = nullptr;
    ProfileSlot* slots = nullptr;
    ProfileSlot lost{};  // where counts go that have no slot
    std::map<SlotKey, ProfileSlot*> known;
    std::vector<Request> requests;
    std::unordered_map<uint64_t, size_t> by_key;
    int kernel = -1;
    uint64_t warps = 0;  // of all launches, to the one that runs
    int rows = -1;
    uint64_t every = 1;
    std::vector<ProfileRow> out;
    std::vector<std::pair<uint64_t, uint64_t>> spans;  // of one request
    uint64_t (*base_of)(uint64_t address);  // where the memory begins that an address is in

    explicit ProfileSums(uint64_t (*base_of_address)(uint64_t)) : base_of(base_of_address) {
        const char* path = getenv("LAYOUTC_RT_PROFILE");
        if (!path) return;
        int file = open(path, O_RDWR);
        off_t bytes = file < 0 ? -1 : lseek(file, 0, SEEK_END);
        void* memory = bytes < (off_t)sizeof(ProfileHeader) ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory == MAP_FAILED) profile_failed(std::string("cannot map the profile ") + path);
        close(file);
        header = (ProfileHeader*)memory;
        instructions = (const ProfileInstruction*)(header + 1);
        ranges = (const ProfileRange*)(instructions + header->instructions);
        size_t table = (sizeof(ProfileHeader) + header->instructions * sizeof(ProfileInstruction) + header->ranges * sizeof(ProfileRange) + 7) / 8 * 8;
        slots = (ProfileSlot*)((char*)memory + table);
        if (memcmp(header->magic, kProfileMagic, sizeof kProfileMagic) != 0 || table + header->capacity * sizeof(ProfileSlot) > (size_t)bytes)
            profile_failed(std::string(path) + " is no profile of this version");
        if (const char* socket_path = getenv("LAYOUTC_RT_PROFILE_ROWS")) {
            rows = ::socket(AF_UNIX, SOCK_STREAM, 0);
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            if (strlen(socket_path) >= sizeof address.sun_path) profile_failed("the path of the rows' socket is too long");
            strcpy(address.sun_path, socket_path);
            if (rows < 0 || connect(rows, (sockaddr*)&address, sizeof address) != 0) profile_failed(std::string("cannot connect to ") + socket_path);
            if (const char* text = getenv("LAYOUTC_RT_PROFILE_EVERY")) every = strtoull(text, nullptr, 10);
            if (every == 0) every = 1;
        }
    }

    ProfileSlot& slot(const SlotKey& key) {
        ProfileSlot*& found = known[key];
        if (!found) {
            if (header->used == header->capacity) {
                header->overflowed = 1;
                return lost;
            }
            found = &slots[header->used];
            found->kernel = key.kernel;
            found->item = key.item;
            found->scope = key.scope;
            memcpy(found->shape, key.shape, sizeof key.shape);
            found->kind = key.kind;
            header->used++;
        }
        return *found;
    }

    // Adds a request that stands for `weight` ones.
    void add(const Request& r, uint64_t warp, uint64_t weight) {
        ProfileSlot& s = slot(SlotKey{kAccess, kernel, (int32_t)r.instruction, r.scope, {}});
        uint64_t* c = s.counts;
        uint64_t sorted[32], index[32];
        unsigned lanes = 0;
        const uint64_t first = r.addresses[__builtin_ctz(r.mask)];
        const ProfileInstruction& instruction = instructions[r.instruction];
        const uint64_t bytes = instruction.element_bytes ? instruction.element_bytes : 1;
        const uint64_t base = base_of(first);
        unsigned line = 0, same = 0;
        bool is_strided = true;
        int64_t stride = 0;
        unsigned before = 0;
        for (uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
            unsigned lane = __builtin_ctz(rest);
            uint64_t address = r.addresses[lane];
            line += address >> 7 == first >> 7;
            same += address == first;
            sorted[lanes] = address;
            index[lanes] = (address - base) / bytes;
            if (lanes != 0) {
                int64_t step = (int64_t)(index[lanes] - index[lanes - 1]), lanes_apart = lane - before;
                int64_t own = step / lanes_apart;
                is_strided = is_strided && own * lanes_apart == step && (lanes == 1 || own == stride);
                stride = own;
            }
            before = lane;
            lanes++;
        }
        c[kRequests] += weight;
        c[kLanes] += weight * lanes;
        c[kLineLanes] += weight * line;
        c[kShared] += weight * (same > 1);
        c[kAddressLanes] += weight * same;
        if (lanes > 1 && is_strided) {
            // The majority's stride (Boyer and Moore): requests with another one outvote it.
            if (c[kVotes] == 0) {
                c[kStride] = (uint64_t)stride;
                c[kStrided] = 0;
            }
            if ((int64_t)c[kStride] == stride)
                c[kVotes] += weight, c[kStrided] += weight;
            else
                c[kVotes] -= std::min(weight, c[kVotes]);
        }
        insertion_sort(sorted, lanes);
        c[kLines] += weight * touched(instruction, sorted, lanes, 7);
        c[kSectors] += weight * touched(instruction, sorted, lanes, 5);
        insertion_sort(index, lanes);
        for (unsigned k = 0; k < kProfileLevels; k++) c[kBlocks + k] += weight;
        for (unsigned i = 1; i < lanes; i++) {
            uint64_t differ = index[i] ^ index[i - 1];
            unsigned bits = differ == 0 ? 0 : 64 - __builtin_clzll(differ);
            for (unsigned k = 0; k < bits && k < kProfileLevels; k++) c[kBlocks + k] += weight;
        }
        if (rows >= 0 && warp % every == 0) {
            for (uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
                unsigned lane = __builtin_ctz(rest);
                out.push_back(ProfileRow{warp, r.addresses[lane], r.instruction, lane, kernel, r.scope});
            }
            if (out.size() >= 8192) send_rows();
        }
    }

    static void insertion_sort(uint64_t* v, unsigned n) {
        for (unsigned i = 1; i < n; i++) {
            uint64_t x = v[i];
            unsigned j = i;
            for (; j != 0 && v[j - 1] > x; j--) v[j] = v[j - 1];
            v[j] = x;
        }
    }
    // How many blocks of 2^shift bytes the lanes touch together, with their first bytes in order.
    unsigned touched(const ProfileInstruction& of, const uint64_t* sorted, unsigned lanes, unsigned shift) {
        const ProfileRange* own = ranges + of.first;
        const uint64_t start = own[0].offset;
        // What is one range is in order by its first blocks, and by its last.
        if (of.ranges == 1) {
            unsigned found = 0;
            uint64_t next = 0;
            for (unsigned i = 0; i < lanes; i++) count_blocks(sorted[i] >> shift, (sorted[i] + own[0].bytes - 1) >> shift, next, found);
            return found;
        }
        spans.clear();
        for (unsigned i = 0; i < lanes; i++)
            for (unsigned n = 0; n < of.ranges; n++) {
                uint64_t first = sorted[i] + (own[n].offset - start);
                spans.push_back({first >> shift, (first + own[n].bytes - 1) >> shift});
            }
        std::sort(spans.begin(), spans.end());
        unsigned found = 0;
        uint64_t next = 0;
        for (auto [first, last] : spans) count_blocks(first, last, next, found);
        return found;
    }
    // Counts those of the blocks first..=last that are not below `next`, which is then behind them.
    static void count_blocks(uint64_t first, uint64_t last, uint64_t& next, unsigned& found) {
        if (last < next) return;
        found += last - std::max(first, next) + 1;
        next = last + 1;
    }

    void send_rows() {
        const char* p = (const char*)out.data();
        for (size_t bytes = out.size() * sizeof(ProfileRow); bytes != 0;) {
            ssize_t sent = ::send(rows, p, bytes, MSG_NOSIGNAL);
            if (sent <= 0) profile_failed("the profile's rows are not read any more");
            p += sent;
            bytes -= sent;
        }
        out.clear();
    }

    // Puts the logs of a warp's lanes together, which have been where the others were. `warp` counts within the block; of
    // so many (`rate`) lots one is in the logs.
    void drain_warp(ThreadLog* threads, unsigned lanes, unsigned warp, uint32_t rate = 1) {
        requests.clear();
        by_key.clear();
        for (unsigned lane = 0; lane < lanes; lane++) {
            ThreadLog& thread = threads[lane];
            // Lanes mostly do the same: the next request is the one behind the last.
            size_t next = 0;
            for (const LoggedAccess& a : thread.log) {
                if (next >= requests.size() || requests[next].key != a.key || (requests[next].mask >> lane & 1)) {
                    auto [at, is_new] = by_key.try_emplace(a.key, requests.size());
                    if (!is_new && (requests[at->second].mask >> lane & 1)) {
                        at->second = requests.size();
                        is_new = true;
                    }
                    if (is_new) requests.push_back(Request{a.key, a.instruction, 0, a.scope, {}});
                    next = at->second;
                }
                requests[next].mask |= 1u << lane;
                requests[next].addresses[lane] = a.address;
                next++;
            }
            thread.log.clear();
        }
        for (const Request& r : requests) add(r, warps + warp, r.key >> 48 == 0 ? 1 : rate);
    }

    // A block has ended.
    void end_block(unsigned threads) {
        warps += (threads + 31) / 32;
        if (rows >= 0) send_rows();
    }

    // Notes an access to the object at an address.
    void access(ThreadLog& t, unsigned instruction, uint64_t address) {
        if (t.stamps.size() <= instruction) t.stamps.resize(header->instructions, Stamp{0, 0});
        Stamp& stamp = t.stamps[instruction];
        if (stamp.position != t.position) stamp = Stamp{t.position, 0};
        uint64_t key = (uint64_t)lot_of(t.position) << 48 | mix(mix(t.position, instruction), stamp.count++) >> 16;
        address += ranges[instructions[instruction].first].offset;
        t.log.push_back(LoggedAccess{key, address, instruction, t.loops.empty() ? -1 : (int)t.loops.back().loop});
    }

    void launched(unsigned of, const unsigned* shape) {
        SlotKey key{kLaunch, (int32_t)of, 0, 0, {}};
        memcpy(key.shape, shape, sizeof key.shape);
        slot(key).counts[0]++;
    }

    void enter(ThreadLog& t, unsigned loop) {
        auto& entered = t.loops.empty() ? t.entered : t.loops.back().entered;
        unsigned nth = 0;
        bool is_known = false;
        for (auto& [own, count] : entered)
            if (own == loop) {
                nth = ++count;
                is_known = true;
            }
        if (!is_known) entered.push_back({loop, 0});
        ProfileSlot& s = slot(SlotKey{kLoop, kernel, (int32_t)loop, 0, {}});
        s.counts[0]++;
        uint64_t entry = mix(mix(t.position, loop), nth);
        t.loops.push_back(LoopFrame{loop, t.position, entry, 0, &s, {}});
        t.position = entry;
    }
    // Whether the thread is in the loop; those inside of it that it left without saying so are over.
    static bool is_in(ThreadLog& t, unsigned loop) {
        size_t depth = t.loops.size();
        while (depth != 0 && t.loops[depth - 1].loop != loop) depth--;
        if (depth == 0) return false;
        t.loops.resize(depth);
        return true;
    }
    static void next(ThreadLog& t, unsigned loop) {
        if (!is_in(t, loop)) return;
        LoopFrame& frame = t.loops.back();
        frame.iteration++;
        frame.slot->counts[1]++;
        frame.entered.clear();
        t.position = mix(frame.entry, frame.iteration);
    }
    static void leave(ThreadLog& t, unsigned loop) {
        if (!is_in(t, loop)) return;
        t.position = t.loops.back().outside;
        t.loops.pop_back();
    }
};

}  // namespace
}  // namespace layoutc_rt
