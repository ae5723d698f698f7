typedef struct _account {
    long balance;
    int entries;
    int largest;
} Account;

__kernel void post(__global Account *accounts, uint accounts_n, __global const int *amounts, uint per_account)
{
    uint a = get_global_id(0);
    if (a >= accounts_n) return;
    for (uint k = 0; k < per_account; k++) {
        int amount = amounts[k * accounts_n + a];
        accounts[a].balance += amount;
        accounts[a].entries += 1;
        if (amount > accounts[a].largest) accounts[a].largest = amount;
    }
}
