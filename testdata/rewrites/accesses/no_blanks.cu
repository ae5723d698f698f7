//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
__global__ void step(P*p,int n){int i=threadIdx.x;if(i<n)p[i].x=p[i].x*2;P*q=p+i;if(i<n)q->id=1;}
int main(){int n=100;P*h=new P[n]();P*d;cudaMalloc(&d,n*sizeof(P));cudaMemcpy(d,h,n*sizeof(P),cudaMemcpyHostToDevice);step<<<1,128>>>(d,n);cudaFree(d);delete[]h;}
