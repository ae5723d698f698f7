// Stacks and the switch between them.
#pragma once

#include "state.hpp"

#include <memory>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace layoutc_rt {
namespace {

#ifdef __x86_64__
struct Context {
    void* stack_pointer = nullptr;
};
extern "C" void layoutc_rt_switch(void** save, void* load);
asm(R"(
.text
.globl layoutc_rt_switch
.type layoutc_rt_switch,@function
layoutc_rt_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size layoutc_rt_switch,.-layoutc_rt_switch
)");
void switch_context(Context& save, Context& load) { layoutc_rt_switch(&save.stack_pointer, load.stack_pointer); }
void prepare_context(Context& context, void* stack, size_t bytes, void (*entry)()) {
    // Six saved registers, the entry point, and an empty return address that keeps the stack aligned.
    void** top = reinterpret_cast<void**>(static_cast<char*>(stack) + bytes);
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(entry);
    for (int i = 0; i < 6; i++) *--top = nullptr;
    context.stack_pointer = top;
}
#else
struct Context {
    ucontext_t context;
};
void switch_context(Context& save, Context& load) { swapcontext(&save.context, &load.context); }
void prepare_context(Context& context, void* stack, size_t bytes, void (*entry)()) {
    getcontext(&context.context);
    context.context.uc_stack.ss_sp = stack;
    context.context.uc_stack.ss_size = bytes;
    context.context.uc_link = nullptr;
    makecontext(&context.context, entry, 0);
}
#endif

struct Fiber {
    Context context;
    char* stack;
};

constexpr size_t kGuard = 4096;

size_t stack_bytes() {
    static const size_t bytes = [] {
        const char* text = getenv("LAYOUTC_RT_STACK");
        size_t wanted = text ? strtoull(text, nullptr, 10) : 0;
        return wanted >= 16384 ? (wanted + 4095) / 4096 * 4096 : 256 * 1024;
    }();
    return bytes;
}

std::vector<Fiber*> idle_fibers;
Fiber* starting_fiber = nullptr;  // read by fiber_main on its first entry
std::vector<std::unique_ptr<Fiber>> all_fibers;

void fiber_main();

Fiber* take_fiber() {
    if (!idle_fibers.empty()) {
        Fiber* fiber = idle_fibers.back();
        idle_fibers.pop_back();
        return fiber;
    }
    auto fiber = std::make_unique<Fiber>();
    size_t bytes = stack_bytes();
    void* memory = mmap(nullptr, bytes + kGuard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) report("cannot map a thread's stack");
    mprotect(memory, kGuard, PROT_NONE);
    fiber->stack = static_cast<char*>(memory);
    prepare_context(fiber->context, fiber->stack + kGuard, bytes, fiber_main);
    all_fibers.push_back(std::move(fiber));
    return all_fibers.back().get();
}

}  // namespace
}  // namespace layoutc_rt
