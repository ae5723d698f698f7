typedef struct {
    float value;
    float weight;
    int sensor;
} Sample;

__kernel void calibrate(__global const Sample *raw, __global Sample *calibrated, __global const float *gains, int count)
{
    int i = get_global_id(0);
    if (i < count) {
        Sample s = raw[i];
        calibrated[i].value = s.value * gains[s.sensor];
        calibrated[i].weight = s.weight;
        calibrated[i].sensor = s.sensor;
    }
}

__kernel void smooth(__global const Sample *calibrated, __global Sample *raw, int count)
{
    int i = get_global_id(0);
    if (i < count) {
        int left = i > 0 ? i - 1 : i, right = i + 1 < count ? i + 1 : i;
        raw[i].value = 0.25f * calibrated[left].value + 0.5f * calibrated[i].value + 0.25f * calibrated[right].value;
        raw[i].weight = calibrated[i].weight + 1.0f;
    }
}
