// This file has CRLF line endings, which must still be there after a rewrite.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                  \
    do {                                             \
        cudaError_t rc = (call);                     \
        if (rc != cudaSuccess) {                     \
            printf("%s\n", cudaGetErrorString(rc));  \
            exit(1);                                 \
        }                                            \
    } while (0)

struct Account {
    int number;
    float balance;
    float interest;
};

__global__ void accrue(Account *accounts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        // interest first,
        // then the fee
        accounts[i].balance +=
            accounts[i].balance *
            accounts[i].interest;
        accounts[i].balance -= 0.5f;
        accounts[i].number ^= 1;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    std::vector<Account> accounts(n);
    for (int i = 0; i < n; i++) {
        accounts[i].number = i * 3;
        accounts[i].balance = 64.0f + i % 32;
        accounts[i].interest = (i % 4) * 0.125f;
    }
    std::vector<Account> before = accounts;

    Account *d_accounts;
    CHECK(cudaMalloc((void **)&d_accounts, n * sizeof(Account)));
    CHECK(cudaMemcpy(d_accounts, accounts.data(),
                     n * sizeof(Account),
                     cudaMemcpyHostToDevice));
    if (n > 0)
        accrue<<<(n + 255) / 256, 256>>>(d_accounts, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(accounts.data(), d_accounts,
                     n * sizeof(Account),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_accounts));

    bool ok = true;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const Account &a = before[i];
        ok = ok && accounts[i].number == (a.number ^ 1) && accounts[i].interest == a.interest &&
             accounts[i].balance == a.balance + a.balance * a.interest - 0.5f;
        sum += (i % 5 + 1) * (accounts[i].number + 2.0 * accounts[i].balance + accounts[i].interest);
    }
    printf("%d accounts, %.4f\n", n, sum);
    printf("%s\n", ok ? "PASSED" : "FAILED");
    return ok ? 0 : 1;
}
